// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.config.StaticCoordinatorProvider;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Several generators in one process do not affect each other. */
class KeeperThreadTest {

    private static final int ALWAYS = Integer.MAX_VALUE;

    private final Stage stage = Stage.ofDefaults(1);
    private final VirtualWorld.Machine machine = stage.process().machine;
    private final SeenThreads platform = new SeenThreads(machine);
    private final List<String> running = platform.running;

    /** A platform whose threads are seen. */
    private static final class SeenThreads extends DelegatingPlatform {
        private final List<Thread> all = new CopyOnWriteArrayList<>();
        private final List<String> running = new CopyOnWriteArrayList<>();

        SeenThreads(Platform machine) {
            super(machine);
        }

        @Override
        public Thread start(String name, Runnable task) {
            running.add(name);
            Thread thread = super.start(name, () -> {
                task.run();
                running.remove(name);
            });
            all.add(thread);
            return thread;
        }
    }

    /** A generator with a wire of its own, though it may say that it shares one. */
    private final class Generator {
        final Wire wire = new Wire(stage.world, stage.store);
        private final SnowflakeSettings settings;
        private final @Nullable Object connection;
        private @Nullable LeasedSnowflake ids;
        private @Nullable Throwable refusal;
        private boolean closed;

        Generator(String name, @Nullable Object connection, String window) {
            Map<String, String> keys = new HashMap<>(stage.keys);
            keys.put("snowflake.window", window);
            // A call fails rather than wait for an id.
            keys.put("snowflake.wait-timeout", "PT0S");
            this.settings = SnowflakeSettings.of(name, keys);
            this.connection = connection;
        }

        Generator open() {
            startOpening();
            stage.until("open", this::isDecided);
            assertThat(refusal).isNull();
            return this;
        }

        void startOpening() {
            Thread unused = machine.start("open", () -> {
                try {
                    ids = LeasedSnowflake.open(settings, connected(wire, connection), platform);
                } catch (RuntimeException | Error e) {
                    refusal = e;
                }
            });
        }

        boolean isDecided() {
            return ids != null || refusal != null;
        }

        void issueFor(Duration duration) {
            for (long left = duration.toMillis(); left > 0; left -= 100) {
                assertThat(ids.nextId()).isPositive();
                stage.sleep(Duration.ofMillis(100));
            }
        }

        void startClosing() {
            Thread unused = machine.start("close", () -> {
                ids.close();
                closed = true;
            });
        }

        void close() {
            startClosing();
            stage.until("closed", () -> closed);
        }
    }

    private static WorkerCoordinatorProvider connected(
            WorkerCoordinatorProvider provider, @Nullable Object connection) {
        return new WorkerCoordinatorProvider() {
            @Override
            public String name() {
                return "etcd";
            }

            @Override
            public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                return new ForwardingCoordinator(provider.open(config, lossHint)) {
                    @Override
                    public @Nullable Object connection() {
                        return connection;
                    }
                };
            }
        };
    }

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    @Test
    void eachGeneratorHasOneThread() {
        Generator one = new Generator("default", "here", "PT60S").open();
        Generator other = new Generator("orders", "here", "PT12S").open();
        Generator third = new Generator("invoices", null, "PT3S").open();

        stage.sleep(Duration.ofMinutes(1));
        assertThat(running).containsExactlyInAnyOrder("snowflake-default", "snowflake-orders", "snowflake-invoices");
        third.issueFor(Duration.ofMinutes(1));

        List.of(one, other, third).forEach(Generator::close);
        stage.sleep(Duration.ofSeconds(1));
        assertThat(running).isEmpty();
        assertThat(stage.store.owners).isEmpty();
    }

    // one thread made the calls of all of them: of eight at 350 ms a request nearly half of the calls failed
    @Test
    void requestsOfOthersOnASlowConnectionHoldUpNone() {
        List<Generator> all = IntStream.range(0, 8)
                .mapToObj(i -> new Generator("orders-" + i, "here", "PT3S").open())
                .toList();
        all.forEach(each -> each.wire.latency = Duration.ofMillis(350));

        for (int i = 0; i < 600; i++) {
            all.forEach(each -> assertThat(each.ids.nextId()).isPositive());
            stage.sleep(Duration.ofMillis(100));
        }
    }

    // one thread waited for their requests in turn: 40 % of the healthy one's calls failed
    @Test
    void thoseThatGetNoAnswerCostAHealthyOneNothing() {
        List<Generator> inTrouble = IntStream.range(0, 3)
                .mapToObj(i -> new Generator("orders-" + i, "here", "PT12S").open())
                .toList();
        Generator healthy = new Generator("default", "here", "PT3S").open();

        inTrouble.forEach(each -> each.wire.cut = true);

        healthy.issueFor(Duration.ofMinutes(3));
    }

    @Test
    void aSlowStartCostsAnotherGeneratorNothing() {
        stage.keys.put("snowflake.startup-timeout", "PT10M");
        Generator quick = new Generator("default", "here", "PT3S").open();
        stage.sleep(Duration.ofSeconds(10));
        Generator slow = new Generator("orders", "here", "PT60S");
        slow.wire.cut = true;

        slow.startOpening();
        quick.issueFor(Duration.ofMinutes(5));
        assertThat(slow.isDecided()).isFalse();
        slow.wire.cut = false;
        stage.until("open", slow::isDecided);

        slow.issueFor(Duration.ofMinutes(1));
    }

    @Test
    void aStartIsNotHeldUpByAnotherSlowStart() {
        Generator slow = new Generator("orders", "here", "PT60S");
        slow.wire.cut = true;
        slow.startOpening();
        stage.sleep(Duration.ofSeconds(1));

        Generator quick = new Generator("default", "here", "PT3S").open();
        quick.issueFor(Duration.ofMinutes(1));

        assertThat(slow.isDecided()).isFalse();
    }

    @Test
    void aSlowEndCostsAnotherGeneratorNothing() {
        Generator ending = new Generator("orders", "here", "PT60S").open();
        Generator quick = new Generator("default", "here", "PT3S").open();
        stage.sleep(Duration.ofSeconds(30));
        ending.wire.hold(Kind.RELEASE);
        ending.wire.hold(Kind.ABANDON);

        ending.startClosing();
        quick.issueFor(Duration.ofMinutes(1));

        assertThat(ending.closed).isTrue();
    }

    @Test
    void aStartThatIsGivenUpLeavesTheOthersAlone() {
        Generator quick = new Generator("default", "here", "PT3S").open();
        Generator slow = new Generator("orders", "here", "PT60S");
        slow.wire.throwInsteadOf(Kind.READ, ALWAYS, new NoClassDefFoundError("planted"));

        slow.startOpening();
        quick.issueFor(Duration.ofMinutes(2));

        assertThat(slow.refusal).isNotNull();
    }

    @Test
    void whatIsThrownForOneGeneratorHarmsNoOther() {
        Generator broken = new Generator("orders", "here", "PT12S").open();
        Generator sound = new Generator("default", "here", "PT3S").open();
        stage.sleep(Duration.ofSeconds(30));

        broken.wire.throwInsteadOf(Kind.EXTEND, ALWAYS, new AssertionError("planted"));
        sound.issueFor(Duration.ofMinutes(2));

        assertThat(broken.ids.status().state()).isEqualTo(SnowflakeStatus.State.SUSPENDED);
    }

    @Test
    void noApplicationIsKeptAliveOrSharesWithAnother() throws Exception {
        SeenThreads real = new SeenThreads(Platform.system());

        try (LeasedSnowflake other = openIn(new Application(), real)) {
            List<WeakReference<ClassLoader>> undeployed = List.of(deployAndUndeploy(real), deployAndUndeploy(real));

            assertThat(undeployed).allMatch(KeeperThreadTest::isCollected);
            assertThat(other.nextId()).isPositive();
        }
    }

    private static final class Application extends ClassLoader {
        Application() {
            super(KeeperThreadTest.class.getClassLoader());
        }
    }

    private static WeakReference<ClassLoader> deployAndUndeploy(SeenThreads real) throws InterruptedException {
        Application application = new Application();
        List<Thread> before = List.copyOf(real.all);
        try (LeasedSnowflake one = openIn(application, real);
                LeasedSnowflake same = openIn(application, real)) {
            assertThat(one.nextId()).isPositive();
            assertThat(same.nextId()).isPositive();
        }
        real.all.removeAll(before);
        for (Thread thread : real.all) {
            assertThat(thread.getContextClassLoader()).isIn(application, null);
            thread.join();
        }
        real.all.clear();
        return new WeakReference<>(application);
    }

    private static boolean isCollected(WeakReference<ClassLoader> reference) {
        for (int i = 0; i < 50 && reference.get() != null; i++) {
            System.gc();
        }
        return reference.get() == null;
    }

    /** Like an application on a server that shares this library among its applications. */
    private static LeasedSnowflake openIn(ClassLoader application, Platform real) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(application);
        try {
            SnowflakeSettings settings =
                    SnowflakeSettings.of(Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "1"));
            return LeasedSnowflake.open(settings, connected(new StaticCoordinatorProvider(), "everywhere"), real);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
