// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.snowflakeid.hibernate.SnowflakeId;

/** A mistake. */
@Entity
class HibernateMistyped {
    @Id
    @SnowflakeId("purchases")
    Integer id = 0;
}
