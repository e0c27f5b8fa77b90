// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.quarkus;

import io.quarkus.hibernate.orm.PersistenceUnit;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;
import java.util.function.Function;
import org.snowflakeid.examples.orders.Database;

/** With Quarkus' transactions. */
@ApplicationScoped
public class QuarkusDatabase implements Database {

    @Inject
    @PersistenceUnit("orders")
    @SuppressWarnings("NullAway.Init")
    EntityManager entities;

    @Override
    @Transactional
    public <T> T inTransaction(Function<EntityManager, T> work) {
        return work.apply(entities);
    }
}
