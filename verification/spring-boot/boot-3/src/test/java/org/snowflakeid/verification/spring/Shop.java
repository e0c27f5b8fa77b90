// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.snowflakeid.Snowflake;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

@Component
class Shop {

    private final Snowflake ids;
    private final Snowflake orderIds;

    Shop(Snowflake ids, @Qualifier("orders") Snowflake orderIds) {
        this.ids = ids;
        this.orderIds = orderIds;
    }

    Snowflake ids() {
        return ids;
    }

    Snowflake orderIds() {
        return orderIds;
    }
}
