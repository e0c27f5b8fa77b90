// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MySqlServer;
import org.snowflakeid.testservers.TcpProxy;

/** Where MySQL is not MariaDB. */
class MySqlTest {
    private static MySqlServer server;

    @BeforeAll
    static void startServer() {
        server = MySqlServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static CoordinatorException refusal(String url, Map<String, String> keys) {
        try (Node node = JdbcNode.at(url, keys)) {
            return catchThrowableOfType(CoordinatorException.class, () -> {
                Stored unused = node.createMeta();
            });
        }
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                boolean unused = statement.execute(each);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --sync-binlog=0 | sync_binlog=0
                    --sync-binlog=100 | sync_binlog=100
                    --innodb-flush-log-at-trx-commit=2 | innodb_flush_log_at_trx_commit=2
                    """)
    void commitsThatAreNotDurableAreRefusedUnlessThatIsAccepted(String option, String shown) {
        try (MySqlServer careless = MySqlServer.start(option)) {
            CoordinatorException refusal = refusal(careless.url(), Map.of());

            assertThat(refusal).hasMessageContaining(shown + ": the database may lose what it acknowledged");
            assertThat(refusal.permanent()).isTrue();
            try (Node warned = JdbcNode.at(careless.url(), Map.of("snowflake.jdbc.durability", "warn"))) {
                assertThat(warned.createMeta()).isNotNull();
            }
        }
    }

    /** As on MariaDB, with a binary log or without. */
    @ParameterizedTest
    @CsvSource({"--log-bin", "--skip-log-bin"})
    void whatIsFoundOfAWriteThatWasNotAcknowledgedCountsOnceALaterOneIs(String option) throws Exception {
        try (MySqlServer own = MySqlServer.start(option);
                TcpProxy proxy = TcpProxy.to(own.clientPort())) {
            ShownBeforeKeptTest.assertThatALaterWriteIsAwaited(
                    own.url() + MySqlUnknownOutcomeContractTest.READABLE,
                    own.url(proxy.port()) + MySqlUnknownOutcomeContractTest.READABLE,
                    proxy);
        }
    }

    @Test
    void refusesToReadWhatIsNotCommitted() {
        String url = server.url() + "&sessionVariables=transaction_isolation='READ-UNCOMMITTED'";

        assertThat(refusal(url, Map.of()))
                .hasMessageContaining("READ UNCOMMITTED")
                .hasMessageContaining("Set the isolation in snowflake.jdbc.url to READ COMMITTED or higher.")
                .matches(CoordinatorException::permanent);
    }

    @Test
    void aServerThatOnlyReadsIsWaitedFor() throws SQLException {
        try (Node node = JdbcNode.at(server.url(), Node.freshNamespace())) {
            execute("SET GLOBAL read_only = 1");
            CoordinatorException refusal = catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0));
            execute("SET GLOBAL read_only = 0");

            assertThat(refusal).hasMessageContaining("replica");
            assertThat(refusal.permanent()).isFalse();
            await(PATIENCE, node::answers);
        }
    }

    @Test
    void aSessionThatWritesNoBinaryLogIsRefused() {
        assertThat(refusal(server.url() + "&sessionVariables=sql_log_bin=0", Map.of()))
                .hasMessageContaining("sql_log_bin");
    }

    @Test
    void namesThatDifferInCaseAreOthers() {
        try (Node lower = JdbcNode.at(server.url(), "orders");
                Node upper = JdbcNode.at(server.url(), "Orders")) {
            Stored meta = lower.createMeta();
            assertThat(upper.read(0, 0).meta()).isNull();
            assertThat(upper.createMeta().value()).isNotEqualTo(meta.value());
        }
    }
}
