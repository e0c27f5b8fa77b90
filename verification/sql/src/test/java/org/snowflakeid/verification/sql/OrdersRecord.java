// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import org.jooq.impl.UpdatableRecordImpl;

/** As jOOQ's generator would make it. */
@SuppressWarnings("serial")
class OrdersRecord extends UpdatableRecordImpl<OrdersRecord> {

    OrdersRecord() {
        super(Orders.ORDERS);
    }

    Long getId() {
        return get(Orders.ORDERS.ID);
    }

    void setId(Long id) {
        set(Orders.ORDERS.ID, id);
    }

    void setCustomer(String customer) {
        set(Orders.ORDERS.CUSTOMER, customer);
    }
}
