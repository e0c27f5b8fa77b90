// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.helidon;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EntityTransaction;
import jakarta.persistence.Persistence;
import java.util.function.Function;
import org.snowflakeid.examples.orders.Database;

/** As in Java SE, with transactions of the database itself. */
@ApplicationScoped
public class LocalDatabase implements Database {

    private final EntityManagerFactory entities = Persistence.createEntityManagerFactory("orders");

    @Override
    public <T> T inTransaction(Function<EntityManager, T> work) {
        try (EntityManager manager = entities.createEntityManager()) {
            EntityTransaction transaction = manager.getTransaction();
            transaction.begin();
            try {
                T result = work.apply(manager);
                transaction.commit();
                return result;
            } finally {
                if (transaction.isActive()) {
                    transaction.rollback();
                }
            }
        }
    }

    @PreDestroy
    void close() {
        entities.close();
    }
}
