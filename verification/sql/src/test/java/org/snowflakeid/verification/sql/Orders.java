// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import org.jooq.Name;
import org.jooq.TableField;
import org.jooq.UniqueKey;
import org.jooq.impl.DSL;
import org.jooq.impl.Internal;
import org.jooq.impl.SQLDataType;
import org.jooq.impl.TableImpl;

/** As jOOQ's generator would make it. */
@SuppressWarnings("serial")
class Orders extends TableImpl<OrdersRecord> {

    static final Orders ORDERS = new Orders(DSL.name("orders"));

    final TableField<OrdersRecord, Long> ID = createField(DSL.name("id"), SQLDataType.BIGINT.nullable(false), this, "");

    final TableField<OrdersRecord, String> CUSTOMER =
            createField(DSL.name("customer"), SQLDataType.VARCHAR(100).nullable(false), this, "");

    private Orders(Name name) {
        super(name);
    }

    @Override
    public Class<OrdersRecord> getRecordType() {
        return OrdersRecord.class;
    }

    @Override
    public UniqueKey<OrdersRecord> getPrimaryKey() {
        return Internal.createUniqueKey(this, DSL.name("orders_pkey"), ID);
    }
}
