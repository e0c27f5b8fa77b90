// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.IdParts;
import org.snowflakeid.LayoutMismatchException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeUnavailableException;

/**
 * What generators promise their users, on the coordinator of a {@link CoordinatorFixture}: above all that no two of them ever
 * issue the same id. Complements {@link WorkerCoordinatorContract}, and is extended in the same way.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
public abstract class LeasedSnowflakeContract {

    /** Stands for a process: a generator, and the connection that its death would end. */
    private record Actor(LeasedSnowflake ids, SeverableProvider connection) {

        int workerId() {
            return ids.status().workerId().orElseThrow();
        }

        Instant reservedUntil() {
            return ids.status().reservedUntil().orElseThrow();
        }

        IdParts next() {
            return ids.layout().decode(ids.nextId());
        }
    }

    private static final Duration LONG = Duration.ofMinutes(1);

    private final CoordinatorFixture fixture;
    private final String namespace = "tck-" + UUID.randomUUID();
    private final Collection<Actor> actors = new ConcurrentLinkedQueue<>();

    protected LeasedSnowflakeContract(CoordinatorFixture fixture) {
        this.fixture = fixture;
    }

    @AfterEach
    final void closeEverything() throws Exception {
        fixture.reconnect(namespace);
        actors.forEach(actor -> actor.ids().close());
    }

    @Test
    public final void issuesIncreasingIdsOfItsWorkerIdWithinTheLayout() {
        Actor actor = openForLong("3-5");

        long[] ids = LongStream.range(0, 20_000).map(i -> actor.ids().nextId()).toArray();

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(actor.workerId()).isBetween(3, 5);
        for (long id : ids) {
            IdParts parts = actor.ids().layout().decode(id);
            assertThat(parts.workerId()).isEqualTo(actor.workerId());
            assertThat(parts.timestamp()).isBefore(actor.reservedUntil());
        }
        assertThat(actor.ids().status().state()).isEqualTo(SnowflakeStatus.State.ACTIVE);
    }

    @Test
    public final void keepsItsWorkerIdWindowAfterWindow() throws Exception {
        // A generator that is held up for that long may find its window ended.
        Stopwatch.unlessHeldUp(fixture.platform()::nanoTime, window().dividedBy(3), (number, stopwatch) -> {
            Actor actor = open("0-9");
            try {
                int workerId = actor.workerId();
                IdParts last = actor.next();

                Instant end = now().plus(window().multipliedBy(2));
                stopwatch.begin();
                while (now().isBefore(end)) {
                    stopwatch.startAgain();
                    IdParts next = actor.next();
                    assertThat(next.workerId()).isEqualTo(workerId);
                    assertThat(next.timestamp()).isAfterOrEqualTo(last.timestamp());
                    last = next;
                    fixture.pass(window().dividedBy(20));
                }
            } finally {
                actor.ids().close();
            }
        });
    }

    @Test
    public final void concurrentClaimantsGetDistinctWorkerIds() throws Exception {
        List<Actor> claimed = together(6, i -> openForLong("0-5"));

        assertThat(claimed.stream().map(Actor::workerId)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
    }

    @Test
    public final void keepsNamespacesApart() {
        Actor one = open("0");
        Actor other = open(Map.of("snowflake.namespace", namespace + "/orders", "snowflake.worker-ids", "0"));

        assertThat(one.workerId()).isZero();
        assertThat(other.workerId()).isZero();
        assertThat(one.next().workerId()).isEqualTo(other.next().workerId());
    }

    @Test
    public final void saysSoWhenNoWorkerIdIsFree() {
        Actor holder = openForLong("0");

        assertThatThrownBy(() -> openWhereTheServerAnswers("0")).isInstanceOf(NoFreeWorkerIdException.class);

        assertThat(holder.next().workerId()).isZero();
    }

    /** On a machine with a slow server, a start whose last read fails reports that, and not what it saw before. */
    private Actor openWhereTheServerAnswers(String workerIds) {
        for (int attempt = 1; ; attempt++) {
            try {
                return open(workerIds, "snowflake.startup-timeout", halfMore());
            } catch (CoordinatorException slow) {
                if (attempt == 5) {
                    throw slow;
                }
            }
        }
    }

    @Test
    public final void refusesAnotherLayout() {
        Actor actor = open("0-9");

        assertThatThrownBy(() -> open(Map.of("snowflake.sequence-bits", "11")))
                .isInstanceOf(LayoutMismatchException.class);
        assertThatThrownBy(() -> open(Map.of("snowflake.epoch", "2021-01-01T00:00:00Z")))
                .isInstanceOf(LayoutMismatchException.class);

        assertThat(actor.next().workerId()).isEqualTo(actor.workerId());
    }

    @Test
    public final void aReleasedWorkerIdIsFreeAtOnce() {
        Actor first = openForLong("0");
        long last = first.ids().nextId();
        Instant before = now();

        first.ids().close();
        Actor second = open("0");

        assertThat(second.ids().nextId()).isGreaterThan(last);
        assertThat(Duration.between(before, now())).isLessThan(LONG.dividedBy(2));
        assertThatThrownBy(() -> first.ids().nextId()).isInstanceOf(SnowflakeUnavailableException.class);
    }

    @Test
    public final void aCrashedHoldersWorkerIdIsUsedAgainAfterItsSpan() throws Exception {
        Actor crashed = open("0");
        Instant before = crashed.reservedUntil();

        crashed.connection().crash(fixture);
        Actor successor = open("0");
        IdParts next = successor.next();

        // It may have been extending when it crashed.
        Instant end = crashed.reservedUntil();
        assertThat(end).isAfterOrEqualTo(before);
        assertThat(next.timestamp()).isAfterOrEqualTo(end);
        fixture.pass(window());
        assertThat(crashed.reservedUntil()).isEqualTo(end);
    }

    @Test
    public final void goesOnUnderAnotherWorkerIdWhenItsOwnWasTakenOver() {
        Actor victim = open("0-1");
        int lost = victim.workerId();
        IdParts last = victim.next();

        victim.connection().sever();
        Actor successor = openForLong(Integer.toString(lost));
        Instant end = victim.reservedUntil();
        victim.connection().rejoin();

        assertThat(successor.next().timestamp()).isAfterOrEqualTo(end);
        assertThat(fixture.comesTrue(patience(), () -> issuesUnderAnother(victim, lost)))
                .isTrue();
        IdParts next = victim.next();
        assertThat(next.workerId()).isEqualTo(1 - lost);
        assertThat(next.timestamp()).isAfter(last.timestamp());
        assertThat(successor.next().workerId()).isEqualTo(lost);
    }

    private static boolean issuesUnderAnother(Actor actor, int lost) {
        SnowflakeStatus status = actor.ids().status();
        return status.state() == SnowflakeStatus.State.ACTIVE
                && status.workerId().orElse(lost) != lost;
    }

    @Test
    public final void issuesNothingUnderAWorkerIdThatWasTakenOverWithoutAnotherToGoTo() {
        Actor victim = open("0", "snowflake.wait-timeout", "PT0S");

        victim.connection().sever();
        Actor successor = openForLong("0");
        victim.connection().rejoin();

        Instant end = now().plus(window());
        while (now().isBefore(end)) {
            assertThat(successor.next().workerId()).isZero();
            assertThatThrownBy(() -> victim.ids().nextId()).isInstanceOf(SnowflakeUnavailableException.class);
            fixture.pass(window().dividedBy(10));
        }
        assertThat(victim.ids().status().state()).isEqualTo(SnowflakeStatus.State.SUSPENDED);
        assertThat(victim.ids().status().lastError()).isPresent();
    }

    @Test
    public final void aShortOutageHasNoEffect() throws Exception {
        // After the last extension the keeper has the rest of a window for this.
        Stopwatch.unlessHeldUp(fixture.platform()::nanoTime, window(), (number, stopwatch) -> {
            Actor actor = open("0-9");
            try {
                long last = actor.ids().nextId();
                for (int i = 0; i < 6; i++) {
                    if (i == 1) {
                        fixture.disconnect(namespace);
                    }
                    if (i == 4) {
                        fixture.reconnect(namespace);
                    }
                    long next = actor.ids().nextId();
                    assertThat(next).isGreaterThan(last);
                    last = next;
                    fixture.pass(window().dividedBy(8));
                }
            } finally {
                fixture.reconnect(namespace);
                actor.ids().close();
            }
        });
    }

    @Test
    public final void worksAgainAfterALongOutage() throws Exception {
        Actor actor = open("0-9", "snowflake.wait-timeout", "PT0S");
        long last = actor.ids().nextId();

        fixture.disconnect(namespace);
        assertThat(fixture.comesTrue(
                        patience(),
                        () -> !issues(actor) && actor.ids().status().state() == SnowflakeStatus.State.SUSPENDED))
                .isTrue();
        fixture.reconnect(namespace);

        assertThat(fixture.comesTrue(patience(), () -> issues(actor))).isTrue();
        assertThat(actor.ids().nextId()).isGreaterThan(last);
    }

    private static boolean issues(Actor actor) {
        try {
            return actor.ids().nextId() > 0;
        } catch (SnowflakeUnavailableException e) {
            return false;
        }
    }

    @Test
    public final void aStartWaitsForTheServer() throws Exception {
        fixture.disconnect(namespace);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Actor> starting = thread.submit(() -> open("0-9"));
            fixture.pass(fixture.unit());
            fixture.reconnect(namespace);

            assertThat(starting.get(1, TimeUnit.MINUTES).next().workerId()).isBetween(0, 9);
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    public final void anInterruptEndsAClaimAndKeepsTheFlag() throws Exception {
        Actor holder = open("0");

        boolean flag = inAThread(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> open("0")).isInstanceOf(SnowflakeUnavailableException.class);
            return Thread.currentThread().isInterrupted();
        });

        assertThat(flag).isTrue();
        assertThat(holder.next().workerId()).isZero();
        holder.ids().close();
        assertThat(open("0").next().workerId()).isZero();
    }

    /** The product's promise: 8 processes that come, go and crash at random share 3 worker ids. */
    @Test
    public final void noTwoHoldersOfAWorkerIdShareATimestamp() throws Exception {
        long seed = System.nanoTime();
        Instant end = now().plus(window().multipliedBy(4));
        Map<Long, Actor> issued = new ConcurrentHashMap<>();
        Map<String, Actor> holders = new ConcurrentHashMap<>();
        List<String> clashes = new ArrayList<>();

        AtomicInteger lives = new AtomicInteger();
        // A slow machine gets more time until enough has happened.
        Instant latest = end.plus(window().multipliedBy(30));
        BooleanSupplier goesOn =
                () -> now().isBefore(end) || ((lives.get() <= 3 || issued.size() <= 1000) && now().isBefore(latest));
        List<Integer> ended = together(8, i -> {
            Random random = new Random(seed + i);
            while (goesOn.getAsBoolean()) {
                Actor actor;
                try {
                    actor = open("0-2", "snowflake.startup-timeout", halfMore());
                } catch (NoFreeWorkerIdException | CoordinatorException e) {
                    // A busy server may not answer all in so short a time; an assertion below checks that some hold
                    // an id.
                    continue;
                }
                lives.incrementAndGet();
                for (int round = random.nextInt(30); round >= 0 && goesOn.getAsBoolean(); round--) {
                    for (long id : batch(actor, 1 + random.nextInt(50))) {
                        IdParts parts = actor.ids().layout().decode(id);
                        Actor other = issued.putIfAbsent(id, actor);
                        Actor holder = holders.putIfAbsent(parts.workerId() + "@" + parts.timestamp(), actor);
                        if (other != null || (holder != null && !holder.equals(actor))) {
                            synchronized (clashes) {
                                clashes.add(parts.toString());
                            }
                        }
                    }
                    fixture.platform().park(random.nextInt(40) * 1_000_000L);
                }
                if (random.nextInt(4) == 0) {
                    actor.connection().crash(fixture);
                } else {
                    actor.ids().close();
                }
            }
            return i;
        });

        assertThat(ended).hasSize(8);
        assertThat(clashes).as("seed " + seed).isEmpty();
        assertThat(lives).as("lives").hasValueGreaterThan(3);
        assertThat(issued.size()).isGreaterThan(1000);
    }

    private static long[] batch(Actor actor, int count) {
        try {
            return actor.ids().nextIds(count);
        } catch (SnowflakeException e) {
            return new long[0];
        }
    }

    // ---- the words of the tests above

    /** It keeps its worker id however slow the machine is. */
    private Actor openForLong(String workerIds) {
        return open(workerIds, "snowflake.window", LONG.toString());
    }

    private Actor open(String workerIds, String... more) {
        Map<String, String> values = new HashMap<>();
        values.put("snowflake.worker-ids", workerIds);
        for (int i = 0; i < more.length; i += 2) {
            values.put(more[i], more[i + 1]);
        }
        return open(values);
    }

    private Actor open(Map<String, String> more) {
        Map<String, String> values = new HashMap<>(fixture.settings());
        values.put("snowflake.namespace", namespace);
        values.put("snowflake.window", window().toString());
        values.putAll(more);
        SeverableProvider connection = new SeverableProvider(fixture.provider());
        Actor actor = new Actor(
                LeasedSnowflake.open(SnowflakeSettings.of(values), connection, fixture.platform()), connection);
        actors.add(actor);
        return actor;
    }

    /** Three units, as owners live, and no less than the settings allow. */
    private Duration window() {
        Duration window = fixture.unit().multipliedBy(3);
        Duration least = Duration.ofSeconds(3);
        return window.compareTo(least) < 0 ? least : window;
    }

    /** The shortest time that a start may be given. */
    private String halfMore() {
        return window().multipliedBy(3).dividedBy(2).toString();
    }

    /** How long something that must happen is waited for. */
    private Duration patience() {
        return window().multipliedBy(20);
    }

    private Instant now() {
        return Instant.ofEpochMilli(fixture.platform().wallMillis());
    }

    private interface Act<T> {
        T by(int actor) throws Exception;
    }

    private static <T> List<T> together(int count, Act<T> act) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int actor = i;
                futures.add(threads.submit(() -> act.by(actor)));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static <T> T inAThread(Callable<T> call) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            return thread.submit(call).get(1, TimeUnit.MINUTES);
        } finally {
            thread.shutdownNow();
        }
    }
}
