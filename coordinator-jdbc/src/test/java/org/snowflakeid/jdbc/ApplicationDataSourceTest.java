// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unknown;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

/** The pool that an application has anyway. */
class ApplicationDataSourceTest {
    private static PostgresServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());
    private final HikariDataSource pool = pool();
    private final String namespace = Node.freshNamespace();
    private final WorkerCoordinator coordinator = open(pool);

    @BeforeAll
    static void startServer() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private WorkerCoordinator open(DataSource dataSource) {
        return new JdbcCoordinatorProvider()
                .open(
                        new CoordinatorConfig(
                                "orders", namespace, Duration.ofSeconds(60), key -> null, with(dataSource)),
                        () -> {});
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url(proxy.port()));
        config.setMaximumPoolSize(2);
        config.setConnectionTimeout(30_000);
        config.setValidationTimeout(1_000);
        // As JPA providers want it.
        config.setAutoCommit(false);
        return new HikariDataSource(config);
    }

    private static Resources with(DataSource dataSource) {
        return new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                return type == DataSource.class && name == null ? Optional.of(type.cast(dataSource)) : Optional.empty();
            }
        };
    }

    @AfterEach
    void close() {
        coordinator.close();
        pool.close();
        proxy.close();
    }

    private Stored createMeta() {
        return Node.applied(coordinator.writeMeta(null, Node.unique("id=1"), TIMEOUT))
                .written();
    }

    @Test
    void isGivenBackAsItWasAfterEachCall() throws SQLException {
        createMeta();

        await(Node.PATIENCE, this::isIdle);
        requireConnectionsAsTheyWere();
    }

    private void requireConnectionsAsTheyWere() throws SQLException {
        try (Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            for (Connection each : new Connection[] {one, other}) {
                assertThat(each.getAutoCommit()).isFalse();
                assertThat(each.getNetworkTimeout()).isZero();
            }
        }
    }

    @Test
    void isNeverUsedInTheCallersTransaction() throws SQLException {
        try (Connection own = pool.getConnection();
                Statement statement = own.createStatement()) {
            statement.execute("CREATE TABLE work (item text)");
            own.commit();
            statement.execute("INSERT INTO work VALUES ('tea')");
            createMeta();
            own.rollback();
        }

        assertThat(coordinator.read(0, 0, TIMEOUT).meta()).isNotNull();
        assertThat(server.sql("SELECT count(*) FROM work")).startsWith("0");
    }

    /** JDBC does not see the transaction, so the pool lends the connection as it is. */
    @Test
    void isNotUsedInATransactionThatTheApplicationLeftOpen() throws SQLException {
        Stored meta = createMeta();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setMaximumPoolSize(1);
        try (HikariDataSource one = new HikariDataSource(config);
                WorkerCoordinator left = open(one)) {
            try (Connection own = one.getConnection();
                    Statement statement = own.createStatement()) {
                statement.execute("BEGIN");
            }

            Node.applied(left.claim(3, null, "limit=1", "o", false, meta, TIMEOUT));

            try (Connection own = one.getConnection();
                    Statement statement = own.createStatement()) {
                statement.execute("ROLLBACK");
            }
        }
        assertThat(coordinator.read(3, 3, TIMEOUT).slots().get(0).mark()).isNotNull();
    }

    /** The connections of a driver that waits for ever for a server that vanished. */
    @Test
    void callsThatHangForEverTakeNoPlaceForEver() {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        DataSource hanging = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (calls.incrementAndGet() <= 2) {
                        end.await();
                    }
                    return pool.getConnection();
                });
        try (WorkerCoordinator one = open(hanging)) {
            while (calls.get() < 2) {
                assertThat(catchThrowableOfType(
                                CoordinatorException.class, () -> one.read(0, 0, Duration.ofMillis(100))))
                        .hasMessageContaining("no connection was available");
            }

            assertThat(catchThrowableOfType(CoordinatorException.class, () -> one.read(0, 0, Duration.ofMillis(100))))
                    .hasMessageContaining("2 earlier calls still wait");
            await(Node.PATIENCE, () -> {
                try {
                    return one.read(0, 0, TIMEOUT).slots().size() == 1;
                } catch (CoordinatorException stillFull) {
                    return false;
                }
            });
        } finally {
            end.countDown();
        }
    }

    @Test
    void poolWithoutAFreeConnectionLeavesNothingSentAndIsNotPermanent() throws SQLException {
        Stored meta = createMeta();
        try (Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            requireWithin(
                    Duration.ofSeconds(3),
                    () -> time(() -> {
                        CoordinatorException thrown = catchThrowableOfType(
                                CoordinatorException.class,
                                () -> coordinator.claim(3, null, "limit=1", "o", false, meta, Duration.ofSeconds(1)));
                        assertThat(thrown.permanent()).isFalse();
                        assertThat(thrown)
                                .hasMessageContaining("the default data source")
                                .hasMessageContaining("no connection was available")
                                .hasMessageContaining("its pool's size");
                    }));
            assertThat(one.isValid(5) && other.isValid(5)).isTrue();
        }

        // A thread that still waits there gets a connection, and gives it back unused.
        await(
                Node.PATIENCE,
                () -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0
                        && pool.getHikariPoolMXBean().getActiveConnections() == 0);
        assertThat(coordinator.read(3, 3, TIMEOUT).slots().get(0).mark()).isNull();
    }

    @Test
    void connectionOfACallThatOutlastedItsTimeIsNotUsedAgain() {
        Stored meta = createMeta();
        Stored mark = Node.applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                .written();
        proxy.freeze();

        CoordinatorException read = catchThrowableOfType(
                CoordinatorException.class,
                () -> coordinator.extend(3, mark, "limit=2", "o", meta, Duration.ofSeconds(1)));
        proxy.pass();

        assertThat(read.permanent()).isFalse();
        await(Node.PATIENCE, () -> answers(3, mark, meta));
        await(Node.PATIENCE, () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    private boolean answers(int id, Stored mark, Stored meta) {
        try {
            CasResult result = coordinator.extend(id, mark, mark.value(), "o", meta, Duration.ofSeconds(2));
            return result instanceof CasResult.Applied;
        } catch (CoordinatorException e) {
            return false;
        }
    }

    @Test
    void whatWasSentIsUnknownWhenTheAnswerIsLost() throws SQLException {
        Stored meta = createMeta();
        Stored mark = Node.applied(coordinator.claim(3, null, "limit=1", "o", false, meta, TIMEOUT))
                .written();
        CasResult late;
        try (Connection locking = pool.getConnection();
                Statement statement = locking.createStatement();
                ResultSet locked = statement.executeQuery("SELECT * FROM snowflake_record FOR UPDATE")) {
            assertThat(locked.next()).isTrue();
            late = coordinator.extend(3, mark, "limit=2", "o", meta, Duration.ofSeconds(2));
            locking.rollback();
        }

        assertThat(unknown(late).cause()).hasMessageContaining("the default data source");
    }

    private static final Duration WINDOW = Duration.ofSeconds(24);

    /** Threads of what a test opens can be told from others by their class loader. */
    private static <T> T with(ClassLoader loader, Supplier<T> opening) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return opening.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static long threadsOf(ClassLoader loader) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> loader.equals(thread.getContextClassLoader()))
                .count();
    }

    private LeasedSnowflake open(String namespace) {
        Map<String, String> keys = Map.of(
                "snowflake.coordinator",
                "jdbc",
                "snowflake.namespace",
                namespace,
                "snowflake.window",
                WINDOW.toString(),
                "snowflake.wait-timeout",
                "PT1M");
        return LeasedSnowflake.open(SnowflakeSettings.of(keys).withResources(with(pool)));
    }

    private static Instant reservedUntil(LeasedSnowflake ids) {
        return ids.status().reservedUntil().orElseThrow();
    }

    private boolean isIdle() {
        return pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0
                && pool.getHikariPoolMXBean().getActiveConnections() == 0;
    }

    /** In proportion what a minute is to a window of 90 s. */
    @Test
    void aPoolThatIsExhaustedForTwoThirdsOfAWindowIsBridgedAndNothingIsLeaked() throws Exception {
        ClassLoader own = new URLClassLoader(new URL[0], getClass().getClassLoader());
        String namespace = Node.freshNamespace();
        try (LeasedSnowflake ids = with(own, () -> open(namespace));
                WorkerCoordinator other = with(own, () -> new JdbcCoordinatorProvider()
                        .open(new CoordinatorConfig("other", namespace, WINDOW, key -> null, with(pool)), () -> {}))) {
            // The first windows are short.
            await(Node.PATIENCE, () -> reservedUntil(ids)
                    .isAfter(Instant.now().plus(WINDOW).minusSeconds(1)));
            await(Node.PATIENCE, this::isIdle);
            Instant reserved;
            List<String> errors = new ArrayList<>();
            List<String> refusals = new ArrayList<>();
            AtomicLong last = new AtomicLong();
            try (Connection one = pool.getConnection();
                    Connection another = pool.getConnection()) {
                reserved = reservedUntil(ids);
                Instant bridged = reserved.minus(WINDOW.dividedBy(3));
                await(Node.PATIENCE, () -> {
                    // A machine that was held up may be later than that.
                    if (Instant.now().isBefore(reserved.minusSeconds(2))) {
                        long id = ids.nextId();
                        assertThat(id).isGreaterThan(last.getAndSet(id));
                    }
                    ids.status().lastError().ifPresent(error -> {
                        errors.add(error);
                        // In a whole minute that many calls pile up by themselves.
                        refusals.add(catchThrowableOfType(
                                        CoordinatorException.class, () -> other.read(0, 0, Duration.ofMillis(100)))
                                .getMessage());
                    });
                    return Instant.now().isAfter(bridged) && refusals.toString().contains("earlier calls still wait");
                });
                assertThat(one.isValid(5) && another.isValid(5)).isTrue();
                assertThat(reservedUntil(ids)).isEqualTo(reserved);
            }

            await(
                    Node.PATIENCE,
                    () -> reservedUntil(ids).isAfter(reserved)
                            && ids.status().lastError().isEmpty());
            assertThat(ids.nextId()).isGreaterThan(last.get());
            assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
            assertThat(errors)
                    .allMatch(error -> error.contains("the default data source"))
                    .anyMatch(error -> error.contains("no connection was available"));
            assertThat(other.read(0, 0, TIMEOUT).meta()).isNotNull();
        }

        await(Node.PATIENCE, () -> isIdle() && threadsOf(own) == 0);
        requireConnectionsAsTheyWere();
        assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isLessThanOrEqualTo(2);
    }
}
