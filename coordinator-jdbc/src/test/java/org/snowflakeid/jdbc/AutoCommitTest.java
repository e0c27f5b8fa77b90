// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

/** URLs and servers by which a connection begins without auto-commit: what is called applied must be committed all the same. */
class AutoCommitTest {
    private static MariaDbServer mariaDb;
    private static MariaDbServer withoutAutoCommit;
    private static PostgresServer postgres;
    private static Databases.H2 h2;

    @BeforeAll
    static void startServers() {
        mariaDb = MariaDbServer.start();
        withoutAutoCommit = MariaDbServer.start("--autocommit=0");
        postgres = PostgresServer.start();
        h2 = new Databases.H2();
    }

    @AfterAll
    static void stopServers() {
        mariaDb.close();
        withoutAutoCommit.close();
        postgres.close();
        h2.close();
    }

    /** What one process was told is applied is seen by another, and is there still when the connection of the first one is closed. */
    private static void requireCommits(String url, String other) {
        String namespace = Node.freshNamespace();
        try (Node looking = JdbcNode.at(other, namespace)) {
            Slot expected;
            try (Node node = JdbcNode.at(url, namespace)) {
                node.createMeta();
                assertThat(looking.meta()).isNotNull();
                Stored extended = applied(node.extend(3, node.claim(3))).written();
                expected = new Slot(3, extended, node.owner(3));

                assertThat(looking.slot(3)).isEqualTo(expected);
            }

            assertThat(looking.slot(3)).isEqualTo(expected);
        }
    }

    // it was lost when the connection was closed, and another process was granted the same
    @ParameterizedTest
    @ValueSource(
            strings = {
                "&autocommit=false",
                "&sessionVariables=autocommit=0",
                "&initSql=SET autocommit=0",
                "&autocommit=true&sessionVariables=autocommit=0"
            })
    void whatIsAppliedOnMariaDbIsCommitted(String parameters) {
        requireCommits(mariaDb.url() + parameters, mariaDb.url());
    }

    @Test
    void whatIsAppliedOnAMariaDbWhoseConnectionsBeginWithoutAutoCommitIsCommitted() {
        requireCommits(withoutAutoCommit.url(), withoutAutoCommit.url());
    }

    @ParameterizedTest
    @ValueSource(strings = {";AUTOCOMMIT=OFF", ";INIT=SET AUTOCOMMIT OFF"})
    void whatIsAppliedOnAServerOfH2IsCommitted(String parameters) {
        String url = h2.url(h2.port());

        requireCommits(url + parameters, url);
    }

    @ParameterizedTest
    @ValueSource(strings = {";AUTOCOMMIT=OFF", ";INIT=SET AUTOCOMMIT OFF"})
    void whatIsAppliedOnAnH2OfThisProcessIsCommitted(String parameters) {
        String url = "jdbc:h2:mem:" + Node.freshNamespace() + ";DB_CLOSE_DELAY=-1";

        requireCommits(url + parameters, url);
    }

    /** It has no such setting, and each statement outside of a transaction is one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "&options=-c%20default_transaction_isolation=serializable",
                "&autosave=always",
                "&preferQueryMode=simple"
            })
    void whatIsAppliedOnPostgresIsCommitted(String parameters) {
        requireCommits(postgres.url() + parameters, postgres.url());
    }

    /** Of drivers that connect anew by themselves, in the middle of a call, and begin as the URL says. */
    private static void requireCommitsOverNewConnections(TcpProxy proxy, String url, String other) {
        try (JdbcStore store = store(url);
                JdbcStore looking = store(other)) {
            for (int i = 0; i < 10; i++) {
                String key = "key" + i;
                if (isApplied(store, key)) {
                    assertThat(looking.read(List.of(key), TIMEOUT).entries()).containsKey(key);
                }
                proxy.cut();
                proxy.pass();
            }
            assertThat(isApplied(store, "last") || isApplied(store, "the one after it"))
                    .isTrue();
        }
    }

    private static boolean isApplied(JdbcStore store, String key) {
        try {
            return store.compareAndSet(key, null, "value", TIMEOUT) instanceof Write.Applied;
        } catch (CoordinatorException nothingChanged) {
            return false;
        }
    }

    private static JdbcStore store(String url) {
        Map<String, String> keys = Map.of("snowflake.jdbc.url", url);
        return new JdbcStore(
                new JdbcSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), keys::get)));
    }

    @Test
    void whatIsAppliedOverAConnectionThatTheDriverOfH2MadeByItselfIsCommitted() {
        try (TcpProxy proxy = TcpProxy.to(h2.port())) {
            requireCommitsOverNewConnections(
                    proxy, h2.url(proxy.port()) + ";AUTO_RECONNECT=TRUE;INIT=SET AUTOCOMMIT OFF", h2.url(h2.port()));
        }
    }

    @Test
    void whatIsAppliedOverAConnectionThatTheDriverOfMariaDbMadeByItselfIsCommitted() {
        try (TcpProxy proxy = TcpProxy.to(mariaDb.clientPort())) {
            requireCommitsOverNewConnections(
                    proxy,
                    mariaDb.url(proxy.port()).replace("mariadb:", "mariadb:sequential:")
                            + "&sessionVariables=autocommit=0",
                    mariaDb.url());
        }
    }
}
