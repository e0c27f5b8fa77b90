// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.payara;

import jakarta.annotation.sql.DataSourceDefinition;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import java.util.function.Function;
import org.snowflakeid.examples.orders.Database;

/** With the server's transactions. */
@ApplicationScoped
@DataSourceDefinition(
        name = "java:app/orders",
        className = "org.h2.jdbcx.JdbcDataSource",
        url = "jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1")
public class ServersDatabase implements Database {

    @PersistenceContext(unitName = "orders")
    @SuppressWarnings("NullAway.Init")
    EntityManager entities;

    @Override
    @Transactional
    public <T> T inTransaction(Function<EntityManager, T> work) {
        return work.apply(entities);
    }
}
