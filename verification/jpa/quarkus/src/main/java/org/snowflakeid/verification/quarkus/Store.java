// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;
import java.util.function.Function;

/** The application injects no generator. */
@ApplicationScoped
public class Store {

    @Inject
    EntityManager entities;

    @Transactional
    public <T> T transact(Function<EntityManager, T> work) {
        return work.apply(entities);
    }
}
