// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** For what entities have in common. */
@MappedSuperclass
@EntityListeners(SnowflakeIdListener.class)
public class PortableRow {
    @Id
    @SnowflakeId("portable")
    public @Nullable Long id;
}
