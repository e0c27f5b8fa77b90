// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unknown;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

/**
 * A database may show a commit before its log is on the disk, as MariaDB does without a binary log, or before its standby has it. A crash
 * then undoes it. So what is found of a write that was not acknowledged counts once a later one is.
 */
class ShownBeforeKeptTest {

    private static final int ID = 3;

    private static final Duration SHORT = Duration.ofSeconds(3);

    // its own mark was taken for granted while the disk stood still, and after the crash the one before was there
    @Test
    void mariaDb() throws Exception {
        try (MariaDbServer server = MariaDbServer.start();
                TcpProxy proxy = TcpProxy.to(server.clientPort())) {
            assertThatALaterWriteIsAwaited(server.url(), server.url(proxy.port()), proxy);
        }
    }

    @Test
    void postgreSql() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                TcpProxy proxy = TcpProxy.to(server.clientPort())) {
            assertThatALaterWriteIsAwaited(server.url(), server.url(proxy.port()), proxy);
        }
    }

    static void assertThatALaterWriteIsAwaited(String url, String proxied, TcpProxy proxy) throws Exception {
        String namespace = Node.freshNamespace();
        try (Node node = JdbcNode.at(proxied, namespace);
                Node other = JdbcNode.at(url, namespace);
                Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            Stored meta = node.createMeta();
            Stored before = node.claim(ID);
            String after = "limit=2 token=" + UUID.randomUUID();
            proxy.holdRepliesFrom(after);
            CompletableFuture<CasResult> extension = CompletableFuture.supplyAsync(
                    () -> node.coordinator.extend(ID, before, after, node.owner(ID), meta, SHORT),
                    task -> new Thread(task, "caller").start());
            await(PATIENCE, () -> stands(after, other));
            CoordinatorException unused = unknown(extension.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                    .cause();
            proxy.pass();
            await(PATIENCE, () -> isReadable(node, ID + 1));

            forbidWrites(connection, statement);
            assertThat(stands(after, other)).isTrue();
            assertThatThrownBy(() -> node.coordinator.read(ID, ID, SHORT)).isInstanceOf(CoordinatorException.class);
            connection.rollback();

            await(PATIENCE, () -> isReadable(node, ID));
            assertThat(stands(after, node)).isTrue();
        }
    }

    /** As a disk does that stands still: reads go on, and no commit ends. */
    private static void forbidWrites(Connection connection, Statement statement) throws SQLException {
        connection.setAutoCommit(false);
        boolean unused = statement.execute("SELECT * FROM snowflake_record FOR UPDATE");
    }

    private static boolean isReadable(Node node, int id) {
        try {
            return node.coordinator.read(id, id, SHORT).meta() != null;
        } catch (CoordinatorException stillBroken) {
            return false;
        }
    }

    private static boolean stands(String mark, Node node) {
        Stored there = node.slot(ID).mark();
        return Objects.equals(mark, there == null ? null : there.value());
    }
}
