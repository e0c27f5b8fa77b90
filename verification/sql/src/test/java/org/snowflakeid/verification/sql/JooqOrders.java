// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import static org.snowflakeid.verification.sql.Orders.ORDERS;

import java.util.List;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConfiguration;
import org.snowflakeid.Snowflake;

/** On docs/sql.md, in parts. */
class JooqOrders {

    private final DSLContext sql;
    private final Snowflake ids;

    JooqOrders(javax.sql.DataSource database, Snowflake ids) {
        Configuration configuration = new DefaultConfiguration().set(database).set(SQLDialect.POSTGRES);
        configuration.set(new JooqOrderIds(ids));
        this.sql = DSL.using(configuration);
        this.ids = ids;
    }

    OrdersRecord order(String customer) {
        OrdersRecord order = sql.newRecord(ORDERS);
        order.setCustomer(customer);
        return order;
    }

    void insertAll(List<OrdersRecord> orders) {
        sql.batchInsert(orders).execute();
    }

    long add(String customer) {
        long id = ids.nextId();
        sql.insertInto(ORDERS).set(ORDERS.ID, id).set(ORDERS.CUSTOMER, customer).execute();
        return id;
    }
}
