// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** A mistake: a UUID needs 36 characters. */
@Entity
@EntityListeners(SnowflakeIdListener.class)
public class PortableCramped {
    @Id
    @SnowflakeId("purchases")
    @Column(columnDefinition = "VARCHAR(35)")
    @Nullable
    UUID id;
}
