// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A process and its coordinator, with short methods for tests of what the contracts leave open. It writes unique values, as core does.
 */
public class Node implements AutoCloseable {
    /** For calls that are expected to succeed; generous, since machines are slow at times. */
    public static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** How long tests wait for something that must happen: far longer than it takes. */
    public static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Of owners that a test does not mean to lose: a server may take a minute to start again. */
    public static final Duration TIME_TO_LIVE = Duration.ofMinutes(5);

    public final WorkerCoordinator coordinator;
    public final String namespace;
    public final AtomicInteger hints = new AtomicInteger();

    private final Map<Integer, String> owners = new ConcurrentHashMap<>();

    /** @param name of the coordinator, which is on the class path */
    protected Node(String name, String namespace, Duration timeToLive, Map<String, String> settings) {
        this.namespace = namespace;
        coordinator = provider(name)
                .open(new CoordinatorConfig("orders", namespace, timeToLive, settings::get), hints::incrementAndGet);
    }

    private static WorkerCoordinatorProvider provider(String name) {
        return ServiceLoader.load(WorkerCoordinatorProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(found -> found.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** What a coordinator says of such settings when it is opened, which has to be refused. */
    static List<String> problems(String name, Function<String, @Nullable String> settings) {
        CoordinatorConfig config = new CoordinatorConfig("orders", "snowflake", TIME_TO_LIVE, settings);
        return catchThrowableOfType(
                        InvalidSettingsException.class,
                        () -> provider(name).open(config, () -> {}).close())
                .problems();
    }

    public static String freshNamespace() {
        return "test-" + UUID.randomUUID();
    }

    /** A value no other write has. */
    public static String unique(String text) {
        return text + " token=" + UUID.randomUUID();
    }

    public Stored createMeta() {
        return applied(coordinator.writeMeta(null, unique("id=1 state=active"), TIMEOUT))
                .written();
    }

    public Stored meta() {
        return Objects.requireNonNull(coordinator.read(0, 0, TIMEOUT).meta(), "the namespace has no record");
    }

    public CasResult claim(int id, @Nullable Stored mark, String owner) {
        CasResult result = coordinator.claim(id, mark, unique("limit=1"), owner, false, meta(), TIMEOUT);
        if (!(result instanceof CasResult.Rejected)) {
            owners.put(id, owner);
        }
        return result;
    }

    /** What it wrote when it claimed the worker id by {@link #claim}; if it did not, an owner that no node ever wrote. */
    public String owner(int id) {
        return owners.getOrDefault(id, "none");
    }

    /** Claims a worker id that has no mark. */
    public Stored claim(int id) {
        CasResult.Applied applied = applied(claim(id, null, unique("host=a")));
        assertThat(applied.ownerHeld()).isTrue();
        return applied.written();
    }

    public CasResult extend(int id, Stored mark) {
        return extend(id, mark, TIMEOUT);
    }

    public CasResult extend(int id, Stored mark, Duration timeout) {
        return coordinator.extend(id, mark, unique("limit=2"), owner(id), meta(), timeout);
    }

    public Slot slot(int id) {
        return coordinator.read(id, id, TIMEOUT).slots().get(0);
    }

    public Snapshot read(int from, int to) {
        return coordinator.read(from, to, TIMEOUT);
    }

    /** Makes all requests of a generator, for worker id 3, to check its rights; creates the namespace if it is absent. */
    public void claimExtendAndRelease() {
        Stored meta = read(0, 0).meta() == null ? createMeta() : meta();
        Stored mark = applied(claim(3, slot(3).mark(), unique("host=a"))).written();
        CasResult.Applied extended = applied(extend(3, mark));
        assertThat(extended.ownerHeld()).isTrue();
        // A server that is held up may be late with it, but not each time.
        await(PATIENCE, () -> read(0, 1_023).serverTime() != null);
        applied(coordinator.release(3, extended.written(), unique("free"), owner(3), meta, TIMEOUT));
    }

    /** Reads and claims, both of which have to be refused, and is closed. Returns what was said of the read. */
    public CoordinatorException refused() {
        try {
            CoordinatorException read =
                    catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, TIMEOUT));
            assertClaimFails(TIMEOUT);
            assertThat(read).isNotNull();
            return read;
        } finally {
            close();
        }
    }

    /**
     * Reads until a refusal is permanent, or says all of that if it is not to be, with more patience each time, since a read may end before
     * the reason is known; then claims, which has to be refused too, and is closed.
     */
    public CoordinatorException refused(boolean permanent, String... said) {
        try {
            CoordinatorException read;
            String text;
            long start = System.nanoTime();
            Duration within = Duration.ofSeconds(1);
            do {
                pause();
                within = within.compareTo(TIMEOUT) < 0 ? within.multipliedBy(2) : within;
                read = readFailure(within);
                text = String.valueOf(read.getMessage());
            } while (!read.permanent()
                    && (permanent || !Stream.of(said).allMatch(text::contains))
                    && Duration.ofNanos(System.nanoTime() - start).compareTo(PATIENCE) < 0);
            assertThat(text).contains(said);
            assertThat(read.permanent()).as(text).isEqualTo(permanent);
            assertClaimFails(within);
            return read;
        } finally {
            close();
        }
    }

    private void assertClaimFails(Duration within) {
        assertThatThrownBy(() -> coordinator.claim(3, null, "m", "o", false, new Stored("x", 0), within))
                .isInstanceOf(CoordinatorException.class);
    }

    private CoordinatorException readFailure(Duration within) {
        return Objects.requireNonNull(
                catchThrowableOfType(CoordinatorException.class, () -> coordinator.read(0, 0, within)));
    }

    /** Waiting can't cure it, and it says all of that. */
    public static void assertPermanent(CoordinatorException thrown, String... parts) {
        assertThat(thrown.permanent()).as(thrown.getMessage()).isTrue();
        assertThat(thrown.getMessage()).contains(parts);
    }

    public static CasResult.Applied applied(CasResult result) {
        assertThat(result).isInstanceOf(CasResult.Applied.class);
        return (CasResult.Applied) result;
    }

    public static CasResult.Rejected rejected(CasResult result) {
        assertThat(result).isInstanceOf(CasResult.Rejected.class);
        return (CasResult.Rejected) result;
    }

    public static CasResult.Unknown unknown(CasResult result) {
        assertThat(result).isInstanceOf(CasResult.Unknown.class);
        return (CasResult.Unknown) result;
    }

    /** Whether a read succeeds now, within a second. */
    public boolean answers() {
        return answers(Duration.ofSeconds(1));
    }

    public boolean answers(Duration within) {
        try {
            coordinator.read(0, 0, within);
            return true;
        } catch (CoordinatorException e) {
            return false;
        }
    }

    /** Also of a server that takes seconds for a login or a handshake, on a busy machine. */
    void awaitAnswer() {
        await(PATIENCE, () -> answers(Duration.ofSeconds(10)));
    }

    /** Waits until it holds, and returns how many milliseconds that took. */
    public static long await(Duration atMost, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(atMost);
            pause();
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public static List<Integer> ids(Snapshot snapshot) {
        return snapshot.slots().stream()
                .filter(s -> s.mark() != null)
                .map(Slot::workerId)
                .toList();
    }

    @Override
    public void close() {
        coordinator.close();
    }
}
