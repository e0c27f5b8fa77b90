// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa.servers;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.NotFoundException;
import java.util.function.Consumer;

/** With the server's transactions. */
@ApplicationScoped
@SuppressWarnings("NullAway.Init")
public class Units {

    @PersistenceContext(unitName = "eclipselink")
    EntityManager eclipselink;

    @PersistenceContext(unitName = "hibernate")
    EntityManager hibernate;

    @PersistenceContext(unitName = "portable")
    EntityManager portable;

    @Transactional
    public void transact(String unit, Consumer<EntityManager> work) {
        work.accept(
                switch (unit) {
                    case "eclipselink" -> eclipselink;
                    case "hibernate" -> hibernate;
                    case "portable" -> portable;
                    default -> throw new NotFoundException(unit);
                });
    }
}
