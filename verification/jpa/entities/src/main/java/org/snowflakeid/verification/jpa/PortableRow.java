// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** For what all entities have. */
@MappedSuperclass
@EntityListeners(SnowflakeIdListener.class)
public class PortableRow {
    @Id
    @SnowflakeId("purchases")
    @Nullable
    Long id;

    @SnowflakeId
    @Nullable
    String code;
}
