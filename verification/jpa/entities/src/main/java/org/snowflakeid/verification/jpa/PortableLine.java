// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** Its properties are mapped, and its key is primitive. */
@Entity
@EntityListeners(SnowflakeIdListener.class)
public class PortableLine {
    private long id;
    private @Nullable String code;

    @Id
    @SnowflakeId("purchases")
    public long getId() {
        return id;
    }

    public void setId(long id) {
        this.id = id;
    }

    @SnowflakeId
    public @Nullable String getCode() {
        return code;
    }

    public void setCode(@Nullable String code) {
        this.code = code;
    }
}
