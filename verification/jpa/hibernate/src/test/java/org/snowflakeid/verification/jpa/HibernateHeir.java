// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import org.jspecify.annotations.Nullable;

/** Its key is a {@code Long} here only. */
@Entity
class HibernateHeir extends HibernateEstate<Long> implements Heir {

    @Override
    public @Nullable Long key() {
        return id;
    }
}
