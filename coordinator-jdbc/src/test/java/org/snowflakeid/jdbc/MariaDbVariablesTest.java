// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
        server = MariaDbServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static int replica(String variable, String value) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(Dialect.MARIADB.readNothing().replace(variable, value))) {
            assertThat(row.next()).isTrue();
            return row.getInt(2);
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
}
