// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;

/**
 * What a coordinator promises whose generators share a connection: those of an application whose settings for the server are equal have
 * one, with its threads, until the last of them is closed. Applications have one each, and none outlives its application.
 *
 * <p>A test extends this and is {@code @Isolated}, since it looks at all threads of the JVM. It starts a server for each of its cases.
 */
public abstract class SharingContract {

    /** Of all generators. */
    protected final String namespace = Node.freshNamespace();

    private static final Set<String> KEEPERS = Set.of("snowflake-default", "snowflake-orders");

    /** Closed at the end, those too that a test closes before. */
    private final List<AutoCloseable> open = new ArrayList<>();

    /** Keys of generators that share, with their window: the shortest in which the server's death may be noticed. */
    protected abstract Map<String, String> settings();

    /** The key by which the same server is reached in another way, and its value. */
    protected abstract Map<String, String> elsewhere();

    /** Waits until threads and connections are those of so many shared connections, each with generators that use it. */
    protected abstract void awaitShared(int connections);

    /**
     * {@link #awaitShared} for two generators that a fault of the server ended together.
     *
     * @param one of them, which may be closed for it
     */
    protected void awaitSharedAgain(LeasedSnowflake one) {
        awaitShared(1);
    }

    /** Ends the server without a farewell. */
    protected abstract void kill();

    protected abstract void startAgain();

    /** From now on nothing reaches the server, and nothing comes from it; no connection is closed or refused. */
    protected abstract void freeze();

    /** Ends {@link #freeze}. Harmless without one. */
    protected abstract void pass();

    /** Ends the server, when all that used it is closed. */
    protected abstract void closeServer();

    @AfterEach
    final void closeAll() throws Exception {
        pass();
        for (AutoCloseable each : open) {
            each.close();
        }
        closeServer();
    }

    /** Closes it at the end of the case at the latest. */
    protected final <T extends AutoCloseable> T opened(T closeable) {
        open.add(closeable);
        return closeable;
    }

    protected final LeasedSnowflake open(String generator, Map<String, String> more) {
        Map<String, String> keys = new HashMap<>(settings());
        keys.put("snowflake.namespace", namespace);
        keys.putAll(more);
        return opened(LeasedSnowflake.open(SnowflakeSettings.of(generator, keys)));
    }

    private LeasedSnowflake open(String generator) {
        return open(generator, Map.of());
    }

    /** Those of generators and their coordinators. */
    protected static Stream<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("snowflake"));
    }

    /** Whether it is the thread of a generator, which shares none; the others are those of connections. */
    protected static boolean isKeeper(Thread thread) {
        return KEEPERS.contains(thread.getName());
    }

    protected static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    @Test
    public final void generatorsOfEqualSettingsShareAConnection() {
        LeasedSnowflake first = open("default");
        LeasedSnowflake orders = open("orders");
        awaitShared(1);
        assertThat(threads()).allMatch(Thread::isDaemon);
        awaitExtension(orders);

        first.close();
        awaitExtension(orders);
        awaitShared(1);

        LeasedSnowflake again = open("default");
        awaitShared(1);
        orders.close();
        awaitExtension(again);
        again.close();
        awaitShared(0);
    }

    @Test
    public final void generatorsOfOtherSettingsShareNothing() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders", elsewhere());
        awaitShared(2);

        one.close();
        awaitExtension(other);
        awaitShared(1);
    }

    @Test
    public final void generatorsThatShareSurviveTheServersDeathTogether() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders");

        kill();
        await(PATIENCE, () -> Stream.of(one, other)
                .allMatch(ids -> ids.status().lastError().isPresent()));
        startAgain();

        awaitExtension(one);
        awaitExtension(other);
        assertThat(one.nextId()).isPositive();
        assertThat(other.nextId()).isPositive();
        awaitSharedAgain(one);
    }

    @Test
    public final void generatorsThatShareAreSuspendedAndComeBackTogether() {
        LeasedSnowflake one = open("default");
        LeasedSnowflake other = open("orders");

        freeze();
        await(PATIENCE, () -> Stream.of(one, other).allMatch(ids -> ids.status().state() == State.SUSPENDED));
        pass();

        await(PATIENCE, () -> Stream.of(one, other).allMatch(ids -> ids.status().state() == State.ACTIVE));
        assertThat(one.nextId()).isPositive();
        assertThat(other.nextId()).isPositive();
        awaitSharedAgain(one);
    }

    @Test
    public final void noApplicationIsKeptAliveOrSharesWithAnother() {
        LeasedSnowflake other = openIn(new ClassLoader(getClass().getClassLoader()) {}, "orders");

        WeakReference<ClassLoader> undeployed = deployAndUndeploy();

        await(PATIENCE, () -> {
            System.gc();
            return undeployed.get() == null;
        });
        assertThat(other.nextId()).isPositive();
    }

    private WeakReference<ClassLoader> deployAndUndeploy() {
        ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
        LeasedSnowflake one = openIn(application, "default");
        awaitShared(2);
        one.close();
        open.remove(one);
        return new WeakReference<>(application);
    }

    private LeasedSnowflake openIn(ClassLoader application, String generator) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(application);
        try {
            return open(generator);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
