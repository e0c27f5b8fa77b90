// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.eclipselink.SnowflakeId;

/** For what all entities have. */
@MappedSuperclass
public class EclipseLinkRow {
    @Id
    @SnowflakeId("purchases")
    @Nullable
    Long id;

    @SnowflakeId
    @Nullable
    String code;
}
