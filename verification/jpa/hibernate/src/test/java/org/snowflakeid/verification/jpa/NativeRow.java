// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.snowflakeid.hibernate.SnowflakeId;

/** For what all entities have. */
@MappedSuperclass
class NativeRow {
    @Id
    @SnowflakeId("purchases")
    Long id;

    @SnowflakeId
    String code;
}
