// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.orders;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** An order of a customer. */
@Entity
@Table(name = "orders")
@EntityListeners(SnowflakeIdListener.class)
public class Order {

    static final int MAX_ITEM_LENGTH = 100;

    @Id
    @SnowflakeId
    private @Nullable Long id;

    @Column(nullable = false, length = MAX_ITEM_LENGTH)
    private String item = "";

    /** For the persistence provider. */
    protected Order() {}

    Order(String item) {
        this.item = item;
    }

    /** Null until it is persisted. */
    @Nullable
    Long id() {
        return id;
    }

    String item() {
        return item;
    }
}
