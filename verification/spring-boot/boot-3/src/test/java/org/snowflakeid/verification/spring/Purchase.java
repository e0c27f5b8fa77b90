// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.hibernate.SnowflakeId;

@Entity
class Purchase {

    @Id
    @SnowflakeId
    @Nullable
    Long id;

    @Column(length = 13)
    @SnowflakeId("orders")
    @Nullable
    String number;

    String item = "";

    protected Purchase() {}

    Purchase(String item) {
        this.item = item;
    }
}
