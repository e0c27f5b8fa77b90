// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.rejected;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** Parameters that applications add to their URLs, and by which drivers count, batch, repeat, prepare or read otherwise. */
class DriverOptionsTest {
    private static MariaDbServer mariaDb;
    private static PostgresServer postgres;

    @BeforeAll
    static void startServers() {
        mariaDb = MariaDbServer.start();
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServers() {
        mariaDb.close();
        postgres.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "useServerPrepStmts=true",
                "useServerPrepStmts=true&cachePrepStmts=true&prepStmtCacheSize=2",
                "useAffectedRows=true",
                "useAffectedRows=false",
                "allowMultiQueries=true",
                "rewriteBatchedStatements=true&useBulkStmts=true",
                "useCompression=true",
                "transactionReplay=true",
                "defaultFetchSize=1",
                "returnMultiValuesGeneratedIds=true",
                "tinyInt1isBit=false&yearIsDateType=false",
                "timezone=+09:00",
                "connectionTimeZone=+09:00&forceConnectionTimeZoneToSession=true",
                "maxAllowedPacket=100000",
                "nullDatabaseMeansCurrent=true&useCatalogTerm=Schema",
                "sessionVariables=sql_mode='',sql_auto_is_null=1,div_precision_increment=0"
            })
    void changeNothingOnMariaDb(String parameters) {
        requireComparedAndSet(mariaDb, parameters);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "preferQueryMode=extendedCacheEverything",
                "prepareThreshold=1",
                "prepareThreshold=2&binaryTransfer=true",
                "autosave=always&cleanupSavepoints=true",
                "autosave=conservative",
                "defaultRowFetchSize=1",
                "maxResultBuffer=1M&adaptiveFetch=true",
                "reWriteBatchedInserts=true",
                "stringtype=unspecified",
                "escapeSyntaxCallMode=call",
                "readOnlyMode=always",
                "logUnclosedConnections=true&quoteReturningIdentifiers=false",
                "options=-c%20DateStyle=German%20-c%20extra_float_digits=-15%20-c%20TimeZone=Asia/Tokyo"
            })
    void changeNothingOnPostgres(String parameters) {
        requireComparedAndSet(postgres, parameters);
    }

    private static void requireComparedAndSet(DatabaseServer server, String parameters) {
        String namespace = Node.freshNamespace();
        try (Node node = JdbcNode.at(server.url() + "&" + parameters, namespace);
                Node other = JdbcNode.at(server.url(), namespace)) {
            Stored meta = node.createMeta();
            Stored first = node.claim(3);
            for (int i = 0; i < 12; i++) {
                Stored before = other.slot(3).mark();
                Stored next = applied(node.extend(3, before)).written();
                assertThat(rejected(node.extend(3, before)).seen()).isEqualTo(other.slot(3));
                assertThat(other.slot(3).mark()).isEqualTo(next).isNotEqualTo(first);
            }
            Snapshot seen = node.coordinator.read(0, 99, TIMEOUT);
            assertThat(seen.meta()).isEqualTo(meta);
            assertThat(seen.slots()).contains(other.slot(3)).hasSize(100);
            assertThat(seen.serverTime()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
        }
    }
}
