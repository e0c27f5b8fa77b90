// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.hibernate.SnowflakeId;

/** The entity decides what its key is. */
@MappedSuperclass
abstract class HibernateEstate<K> {
    @Id
    @SnowflakeId("purchases")
    @Nullable
    K id;
}
