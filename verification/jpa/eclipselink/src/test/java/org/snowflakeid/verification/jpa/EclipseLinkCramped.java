// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.eclipselink.SnowflakeId;

/** A mistake: a UUID needs 36 characters. */
@Entity
class EclipseLinkCramped {
    @Id
    @SnowflakeId("purchases")
    @Column(columnDefinition = "VARCHAR(35)")
    @Nullable
    UUID id;
}
