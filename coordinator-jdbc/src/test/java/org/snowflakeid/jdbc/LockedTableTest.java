// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** A table that another session holds locked: what waits for it takes no connection from the application. One test at a time, since all have the same table. */
@Execution(ExecutionMode.SAME_THREAD)
class LockedTableTest {

    private static final Duration WINDOW = Duration.ofSeconds(60);

    /** Each extends once in a third of the window, and has two thirds of it left then. */
    private static final Duration LOCKED = WINDOW.dividedBy(2);

    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;

    private final String namespace = Node.freshNamespace();
    private final List<LeasedSnowflake> instances = new ArrayList<>();

    @BeforeAll
    static void startServers() {
        postgres = PostgresServer.builder().configure("max_connections", "40").start();
        mariaDb = MariaDbServer.start();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
    }

    @AfterEach
    void close() {
        instances.forEach(LeasedSnowflake::close);
    }

    private LeasedSnowflake open(@Nullable String url, Resources resources) {
        Map<String, String> keys = new HashMap<>(Map.of(
                "snowflake.coordinator",
                "jdbc",
                "snowflake.namespace",
                namespace,
                "snowflake.window",
                WINDOW.toString()));
        if (url != null) {
            keys.put("snowflake.jdbc.url", url);
        }
        LeasedSnowflake opened =
                LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)).withResources(resources));
        instances.add(opened);
        return opened;
    }

    private static Resources of(@Nullable HikariDataSource pool) {
        return new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                return Optional.ofNullable(type.cast(pool));
            }
        };
    }

    private void awaitWholeWindows() {
        // The first ones are shorter.
        await(Node.PATIENCE, () -> instances.stream()
                .allMatch(ids -> ids.counts().extensions() >= 4));
    }

    /** What is looked at while the table is locked. */
    private interface Look {
        void at(Statement administrator);
    }

    private void whileLocked(String url, String lock, Look look) throws SQLException {
        try (Connection locking = DriverManager.getConnection(url);
                Statement locked = locking.createStatement();
                Connection looking = DriverManager.getConnection(url);
                Statement administrator = looking.createStatement()) {
            locking.setAutoCommit(false);
            boolean unused = locked.execute(lock);
            Instant end = Instant.now().plus(LOCKED);
            await(Node.PATIENCE, () -> {
                look.at(administrator);
                instances.forEach(ids -> assertThat(ids.nextId()).isPositive());
                return Instant.now().isAfter(end);
            });
            assertThat(instances)
                    .allSatisfy(ids -> assertThat(ids.status().lastError()).isPresent());
        }
        await(Node.PATIENCE, () -> instances.stream()
                .allMatch(ids -> ids.status().lastError().isEmpty()));
    }

    private static void requireAtMost(int most, Statement administrator, String counts) {
        try (ResultSet rows = administrator.executeQuery(counts)) {
            while (rows.next()) {
                assertThat(rows.getInt(2)).as(rows.getString(1)).isLessThanOrEqualTo(most);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    // all 40 connections were taken, and the application's user was refused
    @Test
    void tenInstancesHaveTwoConnectionsEachAtMost() throws SQLException {
        for (int i = 0; i < 10; i++) {
            open(postgres.url() + "&ApplicationName=instance-" + i, of(null));
        }
        awaitWholeWindows();

        whileLocked(
                postgres.url(),
                "LOCK TABLE snowflake_record IN ACCESS EXCLUSIVE MODE",
                administrator -> requireAtMost(
                        2,
                        administrator,
                        "SELECT application_name, count(*) FROM pg_stat_activity WHERE application_name LIKE 'instance-%'"
                                + " GROUP BY application_name"));
    }

    // 14 backends through a pool of 4
    @Test
    void theApplicationsPoolHasAsManyConnectionsAsItSays() throws SQLException {
        // Not by its URL: for that HikariCP sets its timeout in the DriverManager, for all connections of this JVM.
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(postgres.url() + "&ApplicationName=application");
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(2_000);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            open(null, of(pool));
            awaitWholeWindows();

            whileLocked(postgres.url(), "LOCK TABLE snowflake_record IN ACCESS EXCLUSIVE MODE", administrator -> {
                requireAtMost(
                        4,
                        administrator,
                        "SELECT application_name, count(*) FROM pg_stat_activity WHERE application_name = 'application'"
                                + " GROUP BY application_name");
                try (Connection one = pool.getConnection();
                        Connection another = pool.getConnection();
                        Connection third = pool.getConnection()) {
                    assertThat(one.isValid(5) && another.isValid(5) && third.isValid(5))
                            .isTrue();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            close();
            instances.clear();
        }
    }

    @Test
    void norDoesMariaDbWaitForARowLongerThanACall() throws SQLException {
        open(mariaDb.url(), of(null));
        awaitWholeWindows();

        whileLocked(
                mariaDb.url(),
                "SELECT * FROM snowflake_record FOR UPDATE",
                administrator -> requireAtMost(
                        1,
                        administrator,
                        "SELECT trx_state, count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                                + " GROUP BY trx_state"));
    }
}
