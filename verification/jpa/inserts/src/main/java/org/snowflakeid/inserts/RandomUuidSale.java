// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.UUID;
import org.hibernate.annotations.ColumnDefault;
import org.hibernate.annotations.Generated;
import org.jspecify.annotations.Nullable;

/** Its id is a UUID of version 4, which PostgreSQL makes at the insert. */
@Entity
class RandomUuidSale extends Sale {
    @Id
    @Generated
    @ColumnDefault("gen_random_uuid()")
    @Nullable
    UUID id;
}
