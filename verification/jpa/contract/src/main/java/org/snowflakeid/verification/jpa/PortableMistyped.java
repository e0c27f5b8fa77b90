// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** A mistake. */
@Entity
@EntityListeners(SnowflakeIdListener.class)
public class PortableMistyped {
    @Id
    @SnowflakeId("purchases")
    Integer id = 0;
}
