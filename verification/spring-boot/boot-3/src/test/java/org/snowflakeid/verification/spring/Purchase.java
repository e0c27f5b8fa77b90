// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.snowflakeid.hibernate.SnowflakeId;

@Entity
class Purchase {

    @Id
    @SnowflakeId
    Long id;

    @Column(length = 13)
    @SnowflakeId("orders")
    String number;

    String item;

    static Purchase of(String item) {
        Purchase purchase = new Purchase();
        purchase.item = item;
        return purchase;
    }
}
