// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** Its properties are mapped, and the entity decides what its key is. */
@MappedSuperclass
@EntityListeners(SnowflakeIdListener.class)
public abstract class PortableEstate<K> {
    private @Nullable K id;

    @Id
    @SnowflakeId("purchases")
    public @Nullable K getId() {
        return id;
    }

    public void setId(@Nullable K id) {
        this.id = id;
    }
}
