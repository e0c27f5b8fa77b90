// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.orders;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Persistence;
import java.util.function.Function;
import org.hibernate.SessionFactory;
import org.snowflakeid.examples.orders.Database;

/** As in Java SE, with transactions of the database itself. */
@ApplicationScoped
public class HibernateDatabase implements Database {

    private final SessionFactory sessions =
            Persistence.createEntityManagerFactory("orders").unwrap(SessionFactory.class);

    @Override
    public <T> T inTransaction(Function<EntityManager, T> work) {
        return sessions.fromTransaction(work::apply);
    }

    @PreDestroy
    void close() {
        sessions.close();
    }
}
