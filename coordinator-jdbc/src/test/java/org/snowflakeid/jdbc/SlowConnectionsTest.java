// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.PostgresServer;

/** Databases that take longer to open a connection than a call may last. */
class SlowConnectionsTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    /** H2's driver, whose connections come one by one, when a test says so. */
    private static final class SlowDriver implements Driver, AutoCloseable {
        private final String name = Node.freshNamespace();
        final String url = "jdbc:slow:" + name;
        final Semaphore permits = new Semaphore(0);
        final AtomicInteger begun = new AtomicInteger();
        final List<Connection> connections = new CopyOnWriteArrayList<>();

        SlowDriver() throws SQLException {
            DriverManager.registerDriver(this);
        }

        @Override
        public @Nullable Connection connect(String wanted, Properties info) throws SQLException {
            if (!acceptsURL(wanted)) {
                // As it is asked for those of other tests.
                return null;
            }
            begun.incrementAndGet();
            permits.acquireUninterruptibly();
            Connection connection = DriverManager.getConnection("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
            connections.add(connection);
            return connection;
        }

        /** Those whose call is over. */
        void letIn() {
            int waiting = begun.get();
            permits.release(waiting - connections.size());
            await(Node.PATIENCE, () -> connections.size() == waiting);
        }

        boolean allClosed() {
            return connections.stream().allMatch(connection -> {
                try {
                    return connection.isClosed();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        @Override
        public boolean acceptsURL(String asked) {
            return asked.equals(url);
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String wanted, Properties info) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public void close() throws SQLException {
            permits.release(1_000);
            DriverManager.deregisterDriver(this);
        }
    }

    private static void requireNoConnection(Node node) {
        CoordinatorException thrown =
                catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, SHORT));
        // The second one if the thread was held up until the call's time was over.
        assertThat(thrown.getMessage())
                .containsAnyOf("no connection was available", "no time was left for another request");
        assertThat(thrown.permanent()).isFalse();
    }

    /** Calls that are over before their connections are there. */
    private static void begin(int connections, SlowDriver driver, Node node) {
        while (driver.begun.get() < connections) {
            requireNoConnection(node);
        }
    }

    // it was closed as soon as it was there, and the next call began with another one
    @Test
    void aConnectionThatComesLaterThanACallLastsIsForThoseWhoComeAfter() throws SQLException {
        try (SlowDriver driver = new SlowDriver();
                Node node = JdbcNode.at(driver.url, Node.freshNamespace())) {
            begin(1, driver, node);

            await(Node.PATIENCE, () -> {
                driver.letIn();
                return node.answers();
            });
        }
    }

    /** Before an earlier call's set-up counts no more. */
    private static final Duration SOON = Duration.ofSeconds(15);

    @Test
    void aCallWaitsForTheConnectionThatAnEarlierOneBegan() throws Exception {
        Stopwatch.unlessHeldUp(SOON, (number, stopwatch) -> {
            try (SlowDriver driver = new SlowDriver();
                    Node node = JdbcNode.at(driver.url, Node.freshNamespace())) {
                begin(2, driver, node);
                FutureTask<Snapshot> later =
                        new FutureTask<>(() -> node.coordinator.read(0, 0, Duration.ofSeconds(10)));
                Thread caller = new Thread(later);
                caller.start();
                await(Node.PATIENCE, () -> caller.getState() == Thread.State.TIMED_WAITING);

                driver.permits.release();

                assertThat(later.get(90, TimeUnit.SECONDS).serverTime()).isNotNull();
                assertThat(driver.begun).hasValue(2);
            }
        });
    }

    @Test
    void noMoreThanTwoConnectionsAreBegunAtOnce() throws Exception {
        Stopwatch.unlessHeldUp(SOON, (number, stopwatch) -> {
            try (SlowDriver driver = new SlowDriver();
                    Node node = JdbcNode.at(driver.url, Node.freshNamespace());
                    Node other = JdbcNode.at(driver.url, Node.freshNamespace())) {
                begin(2, driver, node);
                for (int i = 0; i < 6; i++) {
                    requireNoConnection(node);
                    requireNoConnection(other);
                }

                assertThat(driver.begun).hasValue(2);
            }
        });
    }

    @Test
    void oneThatIsNotThereAfterTwentySecondsKeepsNoCallFromBeginningAnother() throws SQLException {
        try (SlowDriver driver = new SlowDriver();
                Node node = JdbcNode.at(driver.url, Node.freshNamespace())) {
            begin(2, driver, node);

            await(Node.PATIENCE, () -> {
                requireNoConnection(node);
                return driver.begun.get() > 2;
            });
        }
    }

    @Test
    void oneThatComesAfterTheCoordinatorIsClosedIsClosedAndNoThreadWaitsForIt() throws SQLException {
        try (SlowDriver driver = new SlowDriver();
                Node node = JdbcNode.at(driver.url, Node.freshNamespace())) {
            begin(2, driver, node);

            requireWithin(Duration.ofMillis(2_500), () -> time(node::close));
            driver.letIn();

            await(Node.PATIENCE, driver::allClosed);
        }
    }

    @Test
    void anIdleOneIsClosed() throws SQLException {
        try (SlowDriver driver = new SlowDriver();
                Node node = JdbcNode.at(driver.url, Node.freshNamespace())) {
            begin(1, driver, node);

            driver.letIn();

            await(Node.PATIENCE, driver::allClosed);
        }
    }

    /** Calls last two seconds with this window. */
    @Test
    void aGeneratorGoesOnWhereALoginTakesThreeSeconds() {
        try (PostgresServer server = PostgresServer.start();
                LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                        "snowflake.coordinator",
                        "jdbc",
                        "snowflake.jdbc.url",
                        server.url(),
                        "snowflake.namespace",
                        Node.freshNamespace(),
                        "snowflake.window",
                        "PT18S")))) {
            server.sql("ALTER SYSTEM SET pre_auth_delay = '3s'");
            server.sql("SELECT pg_reload_conf()");
            server.sql("SELECT 1");
            Instant slow = reservedUntil(ids);

            await(Node.PATIENCE, () -> reservedUntil(ids).isAfter(slow.plusSeconds(24)));
        }
    }

    private static Instant reservedUntil(LeasedSnowflake ids) {
        return ids.status().reservedUntil().orElseThrow();
    }
}
