// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.Snowflake;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Worker ids from a database whose tables are made by something else: Flyway, scripts, Hibernate. */
class DatabaseOfMigrationsTest {

    private static final String TABLE =
            "CREATE TABLE snowflake_record (name VARBINARY(200) PRIMARY KEY, version BIGINT NOT NULL,"
                    + " \"VALUE\" VARBINARY(40000) NOT NULL);";

    /** Spring makes Hibernate before all beans, and Hibernate wants a database that is ready. */
    private static final String WITHOUT_HIBERNATE = "spring.autoconfigure.exclude="
            + "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration";

    private static final String WITHOUT_REPOSITORIES = "spring.data.jpa.repositories.enabled=false";

    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WantsIds {
        final Snowflake ids;

        WantsIds(Snowflake ids) {
            this.ids = ids;
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... settings) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .run(Stream.concat(
                                Stream.of(
                                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                                        "snowflake.coordinator=jdbc",
                                        "snowflake.jdbc.in-memory=allow"),
                                Stream.of(settings))
                        .map(setting -> "--" + setting)
                        .toArray(String[]::new));
    }

    private ConfigurableApplicationContext startWithMigration(Class<?> application, String sql, String... settings)
            throws IOException {
        Files.writeString(directory.resolve("V1__first.sql"), sql);
        return start(
                application,
                Stream.concat(
                                Stream.of(
                                        "spring.flyway.enabled=true",
                                        "spring.flyway.locations=filesystem:" + directory),
                                Stream.of(settings))
                        .toArray(String[]::new));
    }

    private static void requireId(ConfigurableApplicationContext context) {
        assertThat(context.getBean(WantsIds.class).ids.nextId()).isPositive();
    }

    // the bean that took the generator came before Flyway: the start failed, so that the table was never made
    @Test
    void aMigrationMayMakeTheTableOfWorkerIds() throws Exception {
        try (ConfigurableApplicationContext context = startWithMigration(
                WantsIds.class, TABLE, WITHOUT_HIBERNATE, WITHOUT_REPOSITORIES, "snowflake.jdbc.create-table=false")) {
            requireId(context);
        }
    }

    // Flyway refused a database with a table and without a history
    @Test
    void theTableOfWorkerIdsIsMadeAfterTheMigrationsOfANewDatabase() throws Exception {
        try (ConfigurableApplicationContext context = startWithMigration(
                WantsIds.class, "CREATE TABLE customers (id BIGINT);", WITHOUT_HIBERNATE, WITHOUT_REPOSITORIES)) {
            requireId(context);
        }
    }

    @Test
    void aScriptMayMakeTheTableOfWorkerIds() throws Exception {
        Path script = Files.writeString(directory.resolve("schema.sql"), TABLE);

        try (ConfigurableApplicationContext context = start(
                WantsIds.class,
                WITHOUT_HIBERNATE,
                WITHOUT_REPOSITORIES,
                "spring.sql.init.schema-locations=file:" + script,
                "snowflake.jdbc.create-table=false")) {
            requireId(context);
        }
    }

    @Test
    void scriptsThatComeAfterHibernateAreNotWaitedForSinceHibernateWantsTheGenerator() throws Exception {
        Path script = Files.writeString(directory.resolve("data.sql"), "CREATE TABLE customers (id BIGINT);");

        try (ConfigurableApplicationContext context = start(
                Application.class,
                "spring.sql.init.data-locations=file:" + script,
                "spring.jpa.defer-datasource-initialization=true",
                "spring.jpa.hibernate.ddl-auto=create")) {
            assertThat(context.getBean(Purchases.class).save(Purchase.of("tea")).id)
                    .isPositive();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MigrationThatWantsIds {
        @Bean
        static JavaMigration customers(Snowflake ids) {
            return new FirstCustomer(ids);
        }
    }

    static final class FirstCustomer implements JavaMigration {
        private final Snowflake ids;

        FirstCustomer(Snowflake ids) {
            this.ids = ids;
        }

        @Override
        public MigrationVersion getVersion() {
            return MigrationVersion.fromVersion("2");
        }

        @Override
        public String getDescription() {
            return "first customer";
        }

        @Override
        public @Nullable Integer getChecksum() {
            return null;
        }

        @Override
        public boolean canExecuteInTransaction() {
            return true;
        }

        @Override
        public void migrate(Context context) throws Exception {
            try (PreparedStatement insert =
                    context.getConnection().prepareStatement("INSERT INTO customers VALUES (?)")) {
                insert.setLong(1, ids.nextId());
                insert.executeUpdate();
            }
        }
    }

    @Test
    void aMigrationThatTakesIdsIsNotWaitedFor() throws Exception {
        try (ConfigurableApplicationContext context = startWithMigration(
                WantsIds.class,
                "CREATE TABLE customers (id BIGINT);",
                "spring.main.sources=" + MigrationThatWantsIds.class.getName(),
                "spring.flyway.baseline-on-migrate=true",
                "spring.flyway.baseline-version=0")) {
            assertThat(List.of(context.getBean(Flyway.class).info().applied()))
                    .extracting(migration -> String.valueOf(migration.getVersion()))
                    .contains("1", "2");
        }
    }
}
