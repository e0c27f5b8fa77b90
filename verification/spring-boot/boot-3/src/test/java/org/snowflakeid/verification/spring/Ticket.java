// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.UUID;
import org.snowflakeid.hibernate.SnowflakeId;

/** Its key is a UUID. */
@Entity
class Ticket {

    @Id
    @SnowflakeId("orders")
    UUID id;

    String seat;

    static Ticket of(String seat) {
        Ticket ticket = new Ticket();
        ticket.seat = seat;
        return ticket;
    }
}
