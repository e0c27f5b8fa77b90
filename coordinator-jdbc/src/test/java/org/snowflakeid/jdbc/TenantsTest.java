// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PgBouncer;
import org.snowflakeid.testservers.PostgresServer;

/** Sessions that were left in a tenant's schema or database, by the application or by another one. */
class TenantsTest {
    private static final String TENANT = "tenant";
    private static final int TENANTS = 20;

    private static PostgresServer postgres;
    private static PgBouncer bySession;
    private static PgBouncer byTransaction;
    private static MariaDbServer mariaDb;
    private static Databases.H2 h2;

    @BeforeAll
    static void startServers() throws SQLException {
        postgres = PostgresServer.start();
        bySession = PgBouncer.start(postgres, "session", 20);
        byTransaction = PgBouncer.start(postgres, "transaction", 1);
        mariaDb = MariaDbServer.start();
        h2 = new Databases.H2();
        for (Database each : List.of(Database.POSTGRESQL, Database.MARIADB, Database.H2)) {
            each.execute("CREATE SCHEMA " + TENANT);
        }
    }

    @AfterAll
    static void stopServers() {
        byTransaction.close();
        bySession.close();
        postgres.close();
        mariaDb.close();
        h2.close();
    }

    enum Database {
        POSTGRESQL,
        PGBOUNCER_BY_SESSION,
        PGBOUNCER_BY_TRANSACTION,
        MARIADB,
        H2;

        List<Leave> ways() {
            return switch (this) {
                case POSTGRESQL, PGBOUNCER_BY_SESSION, PGBOUNCER_BY_TRANSACTION ->
                    List.of(Leave.SET_SEARCH_PATH, Leave.SET_SCHEMA);
                case MARIADB -> List.of(Leave.USE, Leave.SET_CATALOG);
                case H2 -> List.of(Leave.SET_SCHEMA_BY_STATEMENT, Leave.SET_SCHEMA);
            };
        }

        String url() {
            return switch (this) {
                case POSTGRESQL -> postgres.url();
                case PGBOUNCER_BY_SESSION -> bySession.url();
                case PGBOUNCER_BY_TRANSACTION -> byTransaction.url();
                case MARIADB -> mariaDb.url();
                case H2 -> h2.url(h2.port());
            };
        }

        void execute(String sql) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url());
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        /** In any schema. */
        List<String> tables() throws SQLException {
            try (Connection connection = DriverManager.getConnection(url());
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT table_schema FROM information_schema.tables"
                            + " WHERE LOWER(table_name) = 'snowflake_record'")) {
                List<String> schemas = new ArrayList<>();
                while (rows.next()) {
                    schemas.add(rows.getString(1).toLowerCase(Locale.ROOT));
                }
                return schemas;
            }
        }
    }

    /** How a session gets to look elsewhere, and is left so. */
    enum Leave {
        SET_SEARCH_PATH,
        SET_SCHEMA_BY_STATEMENT,
        SET_SCHEMA,
        USE,
        SET_CATALOG;

        void in(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                switch (this) {
                    case SET_SEARCH_PATH -> statement.execute("SET search_path TO " + TENANT);
                    case SET_SCHEMA_BY_STATEMENT -> statement.execute("SET SCHEMA " + TENANT);
                    case SET_SCHEMA ->
                        connection.setSchema(
                                connection.getMetaData().getURL().contains(":h2:")
                                        ? TENANT.toUpperCase(Locale.ROOT)
                                        : TENANT);
                    case USE -> statement.execute("USE " + TENANT);
                    case SET_CATALOG -> connection.setCatalog(TENANT);
                }
            }
        }
    }

    record Case(Database database, Pool.Product pool, Leave leave) {}

    static Stream<Case> cases() {
        return Stream.of(Database.values()).flatMap(database -> Stream.of(Pool.Product.values())
                .flatMap(pool -> database.ways().stream().map(leave -> new Case(database, pool, leave))));
    }

    private static LeasedSnowflake open(String namespace, Resources resources) {
        Map<String, String> keys = Map.of(
                "snowflake.coordinator",
                "jdbc",
                "snowflake.namespace",
                namespace,
                "snowflake.worker-ids",
                "0-1",
                "snowflake.window",
                "PT6S",
                "snowflake.wait-timeout",
                "PT1M");
        return LeasedSnowflake.open(SnowflakeSettings.of(keys).withResources(resources));
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> {
            SnowflakeStatus status = ids.status();
            // On a busy machine a call may run into its timeout; any other error comes from the session.
            assertThat(status.lastError().filter(error -> !error.contains("does not answer in time")))
                    .isEmpty();
            return status.reservedUntil().orElseThrow().isAfter(before);
        });
    }

    @ParameterizedTest
    @MethodSource("cases")
    void twoProcessesHoldTwoWorkerIdsAndGoOnWhateverSchemaTheirSessionsWereLeftIn(Case in) throws Exception {
        String namespace = Node.freshNamespace();
        Set<Long> all = new HashSet<>();
        try (Pool one = new Pool(in.pool, in.database.url());
                Pool other = new Pool(in.pool, in.database.url());
                LeasedSnowflake first = open(namespace, one)) {
            one.use(in.leave::in);
            other.use(in.leave::in);
            try (LeasedSnowflake second = open(namespace, other)) {
                for (LeasedSnowflake ids : List.of(first, second)) {
                    awaitExtension(ids);
                    for (int i = 0; i < 2_000; i++) {
                        all.add(ids.nextId());
                    }
                    assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
                }
                assertThat(first.status().workerIds())
                        .isNotEqualTo(second.status().workerIds());
            }
        }
        assertThat(all).hasSize(4_000);
        assertThat(in.database.tables()).doesNotContain(TENANT).hasSize(1);
    }

    /** An application with a schema for each of its tenants, and the only connection of its pool between two requests of theirs. */
    @ParameterizedTest
    @EnumSource(Pool.Product.class)
    void aThousandRequestsOfTwentyTenantsLeaveOneTableAndAllTheirRows(Pool.Product product) throws Exception {
        Database database = Database.POSTGRESQL;
        String prefix = "t_" + product.name().toLowerCase(Locale.ROOT) + "_";
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            database.execute("CREATE SCHEMA " + prefix + tenant);
            database.execute("CREATE TABLE " + prefix + tenant + ".orders (id BIGINT PRIMARY KEY)");
        }
        int requests = 0;
        try (Pool pool = new Pool(product, database.url());
                LeasedSnowflake ids = open(Node.freshNamespace(), pool)) {
            Instant first = ids.status().reservedUntil().orElseThrow();
            // Until the generator has borrowed the connection several times in between.
            while (requests < 1_000
                    || ids.status().reservedUntil().orElseThrow().isBefore(first.plusSeconds(6))) {
                String tenant = prefix + requests++ % TENANTS;
                // Before there is a connection: where the generator was late, it needs the only one.
                long id = ids.nextId();
                pool.use(connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("SET search_path TO " + tenant);
                        statement.execute("INSERT INTO orders VALUES (" + id + ")");
                    }
                });
                // Not every pool serves in turn: without a moment between two requests, the generator might wait for as
                // long as they come.
                Thread.sleep(1);
            }
            await(
                    PATIENCE,
                    () -> ids.status().lastError().isEmpty() && ids.status().state() == State.ACTIVE);
        }
        assertThat(database.tables()).hasSize(1).doesNotContain(TENANT).noneMatch(schema -> schema.startsWith(prefix));
        Set<Long> all = new HashSet<>();
        try (Connection connection = DriverManager.getConnection(database.url());
                Statement statement = connection.createStatement()) {
            for (int tenant = 0; tenant < TENANTS; tenant++) {
                try (ResultSet rows = statement.executeQuery("SELECT id FROM " + prefix + tenant + ".orders")) {
                    while (rows.next()) {
                        all.add(rows.getLong(1));
                    }
                }
            }
        }
        assertThat(all).hasSize(requests);
    }

    // ---- the same as processes

    @TempDir
    private Path directory;

    private Process process(String namespace, Path ids) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        TenantsTest.class.getName(),
                        postgres.url(),
                        namespace,
                        ids.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** One of two processes, whose pool was left in a tenant's schema before the generator opens: URL, namespace, file for the ids. */
    public static void main(String[] arguments) throws Exception {
        try (Pool pool = new Pool(Pool.Product.HIKARI, arguments[0])) {
            pool.use(connection -> {
                if (!arguments[1].endsWith("-first")) {
                    Leave.SET_SEARCH_PATH.in(connection);
                }
            });
            try (LeasedSnowflake ids = open(arguments[1].replace("-first", ""), pool)) {
                pool.use(Leave.SET_SEARCH_PATH::in);
                awaitExtension(ids);
                List<String> lines = new ArrayList<>();
                for (int i = 0; i < 20_000; i++) {
                    lines.add(Long.toString(ids.nextId()));
                }
                Files.write(Path.of(arguments[2]), lines);
                System.out.println(ids.status().workerIds());
                // Until its parent has heard of both.
                int unused = System.in.read();
            }
        }
    }

    @Test
    void twoJvmsIssueNoEqualIds() throws Exception {
        String namespace = Node.freshNamespace();
        Map<Path, Process> processes = new HashMap<>();
        Set<String> workerIds = new HashSet<>();
        try {
            for (String name : List.of(namespace + "-first", namespace)) {
                Path ids = directory.resolve(name);
                Process process = process(name, ids);
                processes.put(ids, process);
                workerIds.add(
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                                .readLine());
            }
            Set<String> all = new HashSet<>();
            for (Map.Entry<Path, Process> each : processes.entrySet()) {
                all.addAll(Files.readAllLines(each.getKey()));
                each.getValue().getOutputStream().close();
                assertThat(each.getValue().waitFor(60, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(workerIds).containsExactlyInAnyOrder("[0]", "[1]");
            assertThat(all).hasSize(40_000);
        } finally {
            processes.values().forEach(Process::destroyForcibly);
        }
    }
}
