// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.hibernate.SnowflakeId;

/** For what entities have in common. */
@MappedSuperclass
public class NativeRow {
    @Id
    @SnowflakeId("native")
    public @Nullable Long id;
}
