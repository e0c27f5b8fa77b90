// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.snowflakeid.hibernate.SnowflakeId;

/** Its properties are mapped, and its key is primitive. */
@Entity
class NativeLine {
    private long id;
    private String code;

    @Id
    @SnowflakeId("purchases")
    public long getId() {
        return id;
    }

    public void setId(long id) {
        this.id = id;
    }

    @SnowflakeId
    public String getCode() {
        return code;
    }

    public void setCode(String code) {
        this.code = code;
    }
}
