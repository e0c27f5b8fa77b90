// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** Tables that are absent, another application's or read-only. */
class JdbcSchemaTest {
    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;

    @BeforeAll
    static void startServers() {
        LogLines.listen();
        postgres = PostgresServer.builder().configure("wal_level", "replica").start();
        mariaDb = MariaDbServer.start();
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
    }

    private static String schema(String name) {
        postgres.sql("CREATE SCHEMA " + name);
        return postgres.url() + "&currentSchema=" + name;
    }

    private static CoordinatorException refusal(String url) {
        try (Node node = JdbcNode.at(url, Node.freshNamespace())) {
            CoordinatorException read = catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0));
            CoordinatorException write = catchThrowableOfType(CoordinatorException.class, node::createMeta);
            assertThat(write).hasMessage(read.getMessage());
            assertThat(read.permanent()).isEqualTo(write.permanent());
            return read;
        }
    }

    @Test
    void readingCreatesNothing() {
        try (Node node = JdbcNode.at(schema("untouched"), Node.freshNamespace())) {
            assertThat(node.read(0, 5).meta()).isNull();
            assertThat(postgres.sql("SELECT to_regclass('untouched.snowflake_record')"))
                    .isBlank();

            node.createMeta();

            assertThat(postgres.sql("SELECT to_regclass('untouched.snowflake_record')"))
                    .isNotBlank();
        }
    }

    @Test
    void manyMayBeTheFirst() {
        String url = schema("crowded");
        String namespace = Node.freshNamespace();
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            // By users of different names as far as is known, so that they share nothing.
            nodes.add(JdbcNode.at(url + "&ApplicationName=" + i, namespace));
        }
        List<CasResult> results = nodes.stream()
                .map(node -> CompletableFuture.supplyAsync(
                        () -> node.coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT)))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();
        nodes.forEach(Node::close);

        assertThat(results.stream().filter(CasResult.Applied.class::isInstance)).hasSize(1);
        assertThat(results.stream().filter(CasResult.Rejected.class::isInstance))
                .hasSize(7);
    }

    @Test
    void aTableThatIsGoneHoldsNoRecords() {
        try (Node node = JdbcNode.at(schema("dropped"), Node.freshNamespace())) {
            Stored meta = node.createMeta();
            Stored mark = node.claim(3);

            postgres.sql("DROP TABLE dropped.snowflake_record");

            assertThat(node.read(3, 3).meta()).isNull();
            assertThat(Node.rejected(node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT))
                            .meta())
                    .isNull();
            node.createMeta();
            assertThat(node.read(3, 3).meta()).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name text, version bigint, value text",
                "name text UNIQUE, version bigint PRIMARY KEY, value text",
                "name text, version bigint, value text, PRIMARY KEY (name, version)",
                "name text PRIMARY KEY, version bigint, value char(9000)",
                "name text PRIMARY KEY, version integer, value text",
                "name text PRIMARY KEY, version bigint, value bytea",
                "name text PRIMARY KEY, value text",
                "name text PRIMARY KEY, version bigint, data text",
            })
    void refusesATableThatIsNotIts(String columns) {
        String name = "other_" + Integer.toHexString(columns.hashCode());
        String url = schema(name);
        postgres.sql("CREATE TABLE " + name + ".snowflake_record (" + columns + ")");

        CoordinatorException refusal = refusal(url);

        assertThat(refusal.permanent()).isTrue();
        assertThat(refusal).hasMessageContaining("snowflake_record is of another version, or another application's");
    }

    @Test
    void refusesCollationsOfMariaDb() throws Exception {
        try (Connection connection = DriverManager.getConnection(mariaDb.url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE collated");
            statement.execute("CREATE TABLE collated.snowflake_record"
                    + " (name VARCHAR(200) PRIMARY KEY, version BIGINT, value TEXT)");
        }

        CoordinatorException refusal = refusal(mariaDb.url().replace("/ids", "/collated"));

        assertThat(refusal.permanent()).isTrue();
        assertThat(refusal).hasMessageContaining(Dialect.MARIADB.createTable("`collated`.`snowflake_record`"));
    }

    @Test
    void refusesAReplicaAndASessionThatIsReadOnly() throws Exception {
        String readOnly = postgres.url() + "&options=-c%20default_transaction_read_only=on";
        try (PostgresServer standby =
                PostgresServer.builder().standbyOf(postgres).start()) {
            assertThat(refusal(standby.url()))
                    .hasMessageContaining("the database is a replica, or read-only")
                    .matches(refusal -> !refusal.permanent());
            standby.promote();
            try (Node node = JdbcNode.at(standby.url(), Node.freshNamespace())) {
                await(Node.PATIENCE, node::answers);
                node.createMeta();
            }
        }
        try (Node node = JdbcNode.at(readOnly, Node.freshNamespace())) {
            CoordinatorException write = catchThrowableOfType(CoordinatorException.class, node::createMeta);
            assertThat(write).hasMessageContaining("the database is a replica, or read-only");
            assertThat(write.permanent()).isFalse();
        }
        try (MariaDbServer replica = MariaDbServer.start("--read-only")) {
            assertThat(refusal(replica.url()))
                    .hasMessageContaining("the database is a replica, or read-only")
                    .matches(refusal -> !refusal.permanent());
        }
    }

    /** What was read might be undone, and be kept here all the same. */
    @Test
    void refusesToReadWhatIsNotCommitted() throws Exception {
        try (Databases.H2 h2 = new Databases.H2()) {
            for (String url : List.of(
                    mariaDb.url() + "&sessionVariables=tx_isolation='READ-UNCOMMITTED'",
                    h2.url(h2.port())
                            + ";INIT=SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")) {
                assertThat(refusal(url))
                        .hasMessageContaining("READ UNCOMMITTED")
                        .hasMessageContaining("Set the isolation in snowflake.jdbc.url to READ COMMITTED or higher.")
                        .matches(CoordinatorException::permanent);
            }
        }
        // PostgreSQL takes it for READ COMMITTED.
        try (Node node = JdbcNode.at(
                schema("uncommitted") + "&options=-c%20default_transaction_isolation=read%5C%20uncommitted",
                Node.freshNamespace())) {
            node.createMeta();
        }
    }

    @Test
    void refusesEachConnectionOfAPoolThatReadsWhatIsNotCommitted() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(mariaDb.url());
        config.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED");
        try (HikariDataSource pool = new HikariDataSource(config);
                WorkerCoordinator coordinator = new JdbcCoordinatorProvider()
                        .open(
                                new CoordinatorConfig("orders", "snowflake", TIMEOUT, key -> null, always(pool)),
                                () -> {})) {
            for (int i = 0; i < 3; i++) {
                CoordinatorException refusal =
                        catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT));
                assertThat(refusal)
                        .hasMessageContaining("Set the isolation of the data source to READ COMMITTED or higher.")
                        .matches(CoordinatorException::permanent);
            }
        }
    }

    private static Resources always(DataSource dataSource) {
        return new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                return Optional.of(type.cast(dataSource));
            }
        };
    }

    @Test
    void refusesTheDatabaseThatAServerComesWith(@TempDir Path folder) {
        JdbcDataSource embedded = new JdbcDataSource();
        embedded.setURL("jdbc:h2:file:" + folder.resolve("embedded") + ";WRITE_DELAY=0");
        Resources resources = new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                return Optional.ofNullable(name).map(any -> type.cast(embedded));
            }
        };
        for (String name : new String[] {null, "java:comp/DefaultDataSource"}) {
            CoordinatorConfig config = new CoordinatorConfig(
                    "embedded",
                    "snowflake",
                    TIMEOUT,
                    key -> key.equals("snowflake.jdbc.data-source") ? name : null,
                    resources);
            try (WorkerCoordinator coordinator = new JdbcCoordinatorProvider().open(config, () -> {})) {
                if (name == null) {
                    CoordinatorException refusal =
                            catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT));
                    assertThat(refusal.permanent()).isTrue();
                    assertThat(refusal)
                            .hasMessageContaining("it is of this server alone (jdbc:h2:file:")
                            .hasMessageContaining("snowflake.jdbc.data-source");
                } else {
                    Node.applied(coordinator.writeMeta(null, "id=1", TIMEOUT));
                    assertThat(LogLines.of("embedded"))
                            .anyMatch(line -> line.contains("this H2 is of this machine alone"));
                }
            }
        }
    }

    @Test
    void refusesATableWhoseRowsAreGoneAfterACrash() throws Exception {
        String unlogged = schema("unlogged");
        postgres.sql("CREATE UNLOGGED TABLE unlogged.snowflake_record (name varchar(200) COLLATE \"C\" PRIMARY KEY,"
                + " version bigint NOT NULL, value text COLLATE \"C\" NOT NULL)");
        try (Connection connection = DriverManager.getConnection(mariaDb.url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE forgetful");
            statement.execute("CREATE TABLE forgetful.snowflake_record (name VARBINARY(200) NOT NULL PRIMARY KEY,"
                    + " version BIGINT NOT NULL, value VARBINARY(4000) NOT NULL) ENGINE=MEMORY");
        }

        assertThat(refusal(unlogged)).hasMessageContaining("it is UNLOGGED").matches(CoordinatorException::permanent);
        assertThat(refusal(mariaDb.url().replace("/ids", "/forgetful")))
                .hasMessageContaining("its engine is MEMORY")
                .matches(CoordinatorException::permanent);
    }
}
