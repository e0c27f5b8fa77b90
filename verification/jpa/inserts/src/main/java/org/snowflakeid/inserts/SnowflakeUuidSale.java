// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.hibernate.SnowflakeId;

/** Its id is a UUID of version 7 that contains an id of this process. */
@Entity
class SnowflakeUuidSale extends Sale {
    @Id
    @SnowflakeId
    @Nullable
    UUID id;
}
