// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.hibernate.SessionFactory;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;
import org.hibernate.reactive.mutiny.Mutiny;
import org.hibernate.reactive.provider.ReactiveServiceRegistryBuilder;
import org.hibernate.reactive.stage.Stage;
import org.hibernate.reactive.vertx.VertxInstance;
import org.hibernate.reactive.vertx.impl.ProvidedVertxInstance;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.hibernate.GeneratorSource;
import org.snowflakeid.testservers.PostgresServer;

/**
 * Hibernate Reactive on empty tables, with one event loop, so that what holds that up holds up everything. Both generators take worker ids
 * from one namespace: each id tells by its worker id whose it is.
 */
final class ReactiveShop implements AutoCloseable {

    private static final long PATIENCE_MINUTES = 3;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final LeasedSnowflake keys;
    private final LeasedSnowflake columns;
    private final SessionFactory sessions;

    /** @param settings of both generators */
    ReactiveShop(PostgresServer server, Map<String, String> settings) {
        SnowflakeSettings parsed = SnowflakeSettings.of(settings);
        keys = LeasedSnowflake.open(parsed);
        columns = LeasedSnowflake.open(parsed);
        Configuration configuration = new Configuration()
                .addAnnotatedClass(HibernatePurchase.class)
                .addAnnotatedClass(HibernateLine.class)
                .addAnnotatedClass(HibernateNote.class)
                .setProperty(AvailableSettings.JAKARTA_JDBC_URL, server.url())
                .setProperty(AvailableSettings.JAKARTA_HBM2DDL_DATABASE_ACTION, "drop-and-create")
                .setProperty(AvailableSettings.STATEMENT_BATCH_SIZE, "50");
        configuration.getProperties().put(GeneratorSource.SETTING, (GeneratorSource)
                name -> name.equals("purchases") ? keys : columns);
        StandardServiceRegistry registry = new ReactiveServiceRegistryBuilder()
                .applySettings(configuration.getProperties())
                .addService(VertxInstance.class, new ProvidedVertxInstance(vertx))
                .build();
        sessions = configuration.buildSessionFactory(registry);
    }

    Vertx vertx() {
        return vertx;
    }

    /** Of primary keys. */
    LeasedSnowflake keys() {
        return keys;
    }

    /** Of everything else. */
    LeasedSnowflake columns() {
        return columns;
    }

    Stage.SessionFactory sessions() {
        return sessions.unwrap(Stage.SessionFactory.class);
    }

    Mutiny.SessionFactory mutinySessions() {
        return sessions.unwrap(Mutiny.SessionFactory.class);
    }

    /** What comes of it in the end. */
    static <T> T result(CompletionStage<T> stage) throws ExecutionException, InterruptedException, TimeoutException {
        return stage.toCompletableFuture().get(PATIENCE_MINUTES, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        sessions.close();
        keys.close();
        columns.close();
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(PATIENCE_MINUTES, TimeUnit.MINUTES)
                .join();
    }
}
