// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.UUID;
import org.hibernate.annotations.UuidGenerator;
import org.jspecify.annotations.Nullable;

/** Its id is a UUID of version 7, by Hibernate's own generator. */
@Entity
class UuidSale extends Sale {
    @Id
    @UuidGenerator(style = UuidGenerator.Style.VERSION_7)
    @Nullable
    UUID id;
}
