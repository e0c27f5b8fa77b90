// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.testservers.MariaDbServer;

/** What the variables of a server mean, also those that this version has not: their values take the variables' places in the statements. */
class MariaDbVariablesTest {
    private static MariaDbServer server;

    @BeforeAll
    static void startServer() {
        server = MariaDbServer.start("--log-bin", "--sync-binlog=0");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static int replica(String variable, String value) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url());
                PreparedStatement statement =
                        connection.prepareStatement(Dialect.MARIADB.look().replace(variable, value))) {
            for (int i = 1; i <= 3; i++) {
                statement.setString(i, "ids");
            }
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getInt(2);
            }
        }
    }

    /** MariaDB 12 has texts. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
                    @@global.read_only, 0
                    0, 0
                    1, 1
                    'OFF', 0
                    'ON', 1
                    'NO_LOCK', 1
                    'NO_LOCK_NO_ADMIN', 1
                    """)
    void readOnlyIsANumberOrAText(String value, int replica) throws SQLException {
        assertThat(replica("@@global.read_only", value)).isEqualTo(replica);
    }

    /** As in readers of Aurora, which leave read_only at 0. */
    @ParameterizedTest
    @CsvSource({"@@global.innodb_read_only, 0", "1, 1"})
    void innodbIsReadOnlyTooInAReplica(String value, int replica) throws SQLException {
        assertThat(replica("@@global.innodb_read_only", value)).isEqualTo(replica);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
                    1, 0, 0, ""
                    3, 0, 0, ""
                    2, 0, 0, innodb_flush_log_at_trx_commit=2
                    0, 0, 0, innodb_flush_log_at_trx_commit=0
                    1, 1, 1, ""
                    1, 'OFF', 0, ""
                    1, 1, 0, sync_binlog=0
                    1, 'ON', 100, sync_binlog=100
                    3, 1, 0, ""
                    2, 1, 0, "innodb_flush_log_at_trx_commit=2, sync_binlog=0"
                    1, @@global.log_bin, @@global.sync_binlog, sync_binlog=0
                    """)
    void commitsAreDurableByTheLogOfInnodbOrThatOfReplication(
            String flush, String binaryLog, String sync, String doubts) throws SQLException {
        String query = Dialect.MARIADB
                .questions()
                .doubts()
                .replace("@@global.innodb_flush_log_at_trx_commit", flush)
                .replace("@@global.log_bin", binaryLog)
                .replace("@@global.sync_binlog", sync);
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            assertThat(Objects.requireNonNullElse(row.getString(1), "")).isEqualTo(doubts);
        }
    }
}
