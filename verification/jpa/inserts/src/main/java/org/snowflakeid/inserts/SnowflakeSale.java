// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.hibernate.SnowflakeId;

/** Its id is made by this process, by a worker id that it has leased. */
@Entity
class SnowflakeSale extends Sale {
    @Id
    @SnowflakeId
    @Nullable
    Long id;
}
