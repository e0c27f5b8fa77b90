// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.hibernate.SnowflakeId;

/** Its key is a {@code UUID} here only. */
@Entity
class HibernateTicket extends HibernateEstate<UUID> implements Ticket {
    @SnowflakeId
    @Nullable
    UUID code;

    @Nullable
    String seat;

    @Override
    public @Nullable UUID key() {
        return id;
    }
}
