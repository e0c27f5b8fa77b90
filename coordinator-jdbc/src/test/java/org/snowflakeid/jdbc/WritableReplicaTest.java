// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/**
 * Servers that follow another one, and that take writes of their own: a process that is led there is granted what the other server grants
 * to another process.
 */
class WritableReplicaTest {
    private final String namespace = Node.freshNamespace();

    @BeforeAll
    static void listen() {
        LogLines.listen();
    }

    private WorkerCoordinator open(String generator, String url, String... keys) {
        Map<String, String> all = new HashMap<>(Map.of("snowflake.jdbc.url", url));
        for (int i = 0; i < keys.length; i += 2) {
            all.put("snowflake.jdbc." + keys[i], keys[i + 1]);
        }
        return new JdbcCoordinatorProvider()
                .open(new CoordinatorConfig(generator, namespace, Node.TIME_TO_LIVE, all::get), () -> {});
    }

    private static boolean shows(String url, String query) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getInt(1) > 0;
        } catch (SQLException notYet) {
            return false;
        }
    }

    private static void execute(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Refuses it as long as it is one, unless that is accepted. */
    private void requireNotBelieved(String url, String sign, Runnable promotion) {
        try (WorkerCoordinator required = open("orders", url);
                WorkerCoordinator warned = open("warned-" + namespace, url, "durability", "warn")) {
            CoordinatorException refusal =
                    catchThrowableOfType(CoordinatorException.class, () -> required.read(3, 3, TIMEOUT));

            assertThat(refusal)
                    .hasMessageContaining("it takes over what another server writes (" + sign + "): the database may")
                    .hasMessageContaining("snowflake.jdbc.url to the primary's")
                    .hasMessageContaining("snowflake.jdbc.durability=warn");
            assertThat(refusal.permanent()).isFalse();
            assertThat(warned.read(3, 3, TIMEOUT).meta()).isNotNull();
            assertThat(LogLines.of("warned-" + namespace).stream()
                            .filter(line -> line.startsWith("WARNING") && line.contains(sign)))
                    .hasSize(1);

            promotion.run();
            await(PATIENCE, () -> answers(required));
        }
    }

    private static boolean answers(WorkerCoordinator coordinator) {
        try {
            return coordinator.read(3, 3, TIMEOUT).meta() != null;
        } catch (CoordinatorException notYet) {
            return false;
        }
    }

    /** As MariaDB's replicas are, unless read_only is set. */
    @Test
    void aReplicaOfMariaDbIsNotBelieved() throws SQLException {
        try (MariaDbServer primary = MariaDbServer.start("--log-bin", "--sync-binlog=1", "--server-id=1");
                MariaDbServer replica = MariaDbServer.start("--server-id=2");
                WorkerCoordinator coordinator = open("orders", primary.url())) {
            applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT));
            execute(
                    replica.url(),
                    "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + primary.clientPort()
                            + ", MASTER_USER='admin', MASTER_SSL=0",
                    "START SLAVE");
            await(
                    PATIENCE,
                    () -> shows(replica.url(), "SELECT COUNT(*) FROM snowflake_record WHERE name LIKE '%meta'"));

            requireNotBelieved(replica.url(), "Slaves_running", () -> {
                try {
                    execute(replica.url(), "STOP SLAVE", "RESET SLAVE ALL");
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    /** As after a change of the version by logical replication, or on one side of two that follow each other. */
    @Test
    void aSubscriberOfPostgresIsNotBelieved() throws SQLException {
        try (PostgresServer primary = PostgresServer.builder()
                        .configure("wal_level", "logical")
                        .start();
                PostgresServer subscriber = PostgresServer.start();
                WorkerCoordinator coordinator = open("orders", primary.url())) {
            applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT));
            execute(
                    subscriber.url(),
                    Dialect.POSTGRESQL.createTable("snowflake_record"),
                    // By a user with the three rights alone.
                    "CREATE ROLE app LOGIN",
                    "GRANT SELECT, INSERT, UPDATE ON snowflake_record TO app");
            execute(primary.url(), "CREATE PUBLICATION records FOR TABLE snowflake_record");
            String unused = subscriber.sql("CREATE SUBSCRIPTION records CONNECTION 'host=127.0.0.1 port="
                    + primary.clientPort() + " user=admin dbname=ids' PUBLICATION records");
            await(
                    PATIENCE,
                    () -> shows(subscriber.url(), "SELECT COUNT(*) FROM snowflake_record WHERE name LIKE '%meta'"));

            requireNotBelieved(
                    subscriber.url().replace("user=admin", "user=app"),
                    "the subscription records",
                    () -> subscriber.sql("ALTER SUBSCRIPTION records DISABLE"));
        }
    }
}
