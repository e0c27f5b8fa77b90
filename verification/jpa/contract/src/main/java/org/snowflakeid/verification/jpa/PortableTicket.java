// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Its key is a {@code UUID} here only. */
@Entity
public class PortableTicket extends PortableEstate<UUID> implements Ticket {

    @Override
    public @Nullable UUID key() {
        return getId();
    }
}
