// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.config.EnvironmentVariable;
import org.snowflakeid.testservers.LogLines;

/** A namespace of its own with generators that issue all the time, each as if in a process of its own. */
final class Scene implements AutoCloseable {

    static final Duration WINDOW = Duration.ofSeconds(6);

    /** An extension is due every third of a window; a call under way, a pause after a failure and a busy machine come on top. */
    static final Duration NOTICED = WINDOW.dividedBy(3).plusSeconds(4);

    /** Not what is tested: how long a start, a server or a floor may take on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final int ATTEMPTS = 5;

    private static final AtomicInteger SCENES = new AtomicInteger();

    private final String name;
    private final Map<String, String> coordinator;
    private final Duration noticed;
    private final String namespace = "test-" + UUID.randomUUID();
    private final List<Issuer> issuers = new CopyOnWriteArrayList<>();

    /** @param coordinator the keys that name it, and where it is */
    Scene(String name, Map<String, String> coordinator) {
        this(name, coordinator, Duration.ZERO);
    }

    /** @param delay how much longer than usual a client may need until it is let in by servers that lost data */
    Scene(String name, Map<String, String> coordinator, Duration delay) {
        // One that is tried again finds nothing of the one before in the log.
        this.name = name + "-" + SCENES.incrementAndGet();
        this.coordinator = coordinator;
        this.noticed = NOTICED.plus(delay);
        LogLines.listen();
    }

    /** What was to happen in time did so later. The machine may have been held up: once, that says nothing. */
    static final class TooLate extends AssertionError {
        private static final long serialVersionUID = 1L;

        TooLate(String what) {
            super(what);
        }
    }

    /** Tries again what was only too late: a slow machine may be slow once, but not always. Any other failure is one. */
    static void unlessTooLate(Runnable attempt) {
        for (int number = 1; ; number++) {
            try {
                attempt.run();
                return;
            } catch (TooLate e) {
                if (number == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    static void requireInTime(Duration took, Duration limit) {
        if (took.compareTo(limit) >= 0) {
            throw new TooLate("noticed after " + took + ", to be noticed within " + limit);
        }
    }

    /** A generator and the thread that asks it for ids, failing or not, until it is closed. */
    static final class Issuer {
        final String generator;
        final LeasedSnowflake ids;
        private final Duration noticed;
        private final List<long[]> issued = new ArrayList<>();
        private final Thread thread;
        private volatile boolean over;
        private volatile SnowflakeException failure;

        private Issuer(String generator, LeasedSnowflake ids, Duration noticed) {
            this.generator = generator;
            this.ids = ids;
            this.noticed = noticed;
            this.thread = new Thread(this::issue, "issuer-" + generator);
            thread.start();
        }

        private void issue() {
            while (!over) {
                try {
                    // So many that two who share a millisecond and a worker id can't miss each other.
                    issued.add(ids.nextIds(48));
                    failure = null;
                } catch (SnowflakeException e) {
                    failure = e;
                }
                LockSupport.parkNanos(2_000_000);
            }
        }

        private void end() {
            over = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            ids.close();
        }

        /** What it issued; to be asked when it has ended. */
        LongStream issued() {
            return issued.stream().flatMapToLong(Arrays::stream);
        }

        Instant reservedUntil() {
            return ids.status().reservedUntil().orElse(Instant.MIN);
        }

        void awaitExtension() {
            Instant before = reservedUntil();
            await(PATIENCE, () -> reservedUntil().isAfter(before.plusMillis(500)));
        }

        void awaitIds() {
            await(PATIENCE, () -> failure == null && ids.status().state() == State.ACTIVE);
        }

        /** It stopped because the coordinator lost something, in time, and said so everywhere. */
        void requireNoticed(Instant since, String symptom) {
            await(PATIENCE, () -> failure instanceof CoordinatorRegressedException);
            Duration took = Duration.between(since, Instant.now());
            assertThat(failure).hasMessageContaining(symptom);
            assertThat(ids.status().state()).isEqualTo(State.SUSPENDED);
            assertThat(ids.status().ready()).isFalse();
            // Callers hear of it first.
            await(PATIENCE, () -> ids.status()
                    .lastError()
                    .filter(e -> e.contains(symptom))
                    .isPresent());
            awaitSevere(symptom);
            requireInTime(took, noticed);
        }

        /** So they do of the line in the log. */
        private void awaitSevere(String text) {
            await(PATIENCE, () -> LogLines.of(generator).stream()
                    .anyMatch(line -> line.startsWith("SEVERE") && line.contains(text)));
        }

        /** Cut off, it issues what it has reserved and nothing more. */
        void requireUsedUp() {
            await(PATIENCE, () -> failure != null);
            assertThat(Instant.now()).isAfterOrEqualTo(reservedUntil());
            assertThat(failure).hasMessageContaining("no id can be issued");
        }

        /** Its namespace is no more: it issued what it had reserved, and said why there is nothing more. */
        void requireStopped(String reason) {
            requireUsedUp();
            assertThat(ids.status().lastError())
                    .hasValueSatisfying(e -> assertThat(e).contains(reason));
            awaitSevere(reason);
        }

        /** Its namespace was restored. If it asked while that was going on, it issued what it had reserved, and stopped. */
        void requireRestored(Instant since) {
            String retired = "was retired: it is being restored";
            await(
                    PATIENCE,
                    () -> failure instanceof CoordinatorRegressedException
                            || ids.status()
                                    .lastError()
                                    .filter(e -> e.contains(retired))
                                    .isPresent());
            if (failure instanceof CoordinatorRegressedException) {
                requireNoticed(since, "was restored by its operator");
            } else {
                requireStopped(retired);
            }
        }
    }

    /** Moves house by the operator's command. */
    void move(Map<String, String> from, Map<String, String> to) {
        List<String> arguments = new ArrayList<>(List.of("move", "--yes", "--namespace", namespace));
        from.forEach((key, value) -> arguments.addAll(List.of("--from", key + "=" + value)));
        to.forEach((key, value) -> arguments.addAll(List.of("--to", key + "=" + value)));
        Session session = command(arguments.toArray(String[]::new));
        assertThat(session.exitCode()).as(session.all()).isZero();
    }

    SnowflakeSettings settings(String generator, Map<String, String> at, int workerId, String creation) {
        return settings(generator, at, Integer.toString(workerId), creation);
    }

    private SnowflakeSettings settings(String generator, Map<String, String> at, String workerIds, String creation) {
        Map<String, String> keys = new HashMap<>(Map.of(
                "snowflake.window",
                WINDOW.toString(),
                "snowflake.startup-timeout",
                PATIENCE.toString(),
                "snowflake.clock.max-skew",
                "PT1S",
                "snowflake.worker-ids",
                workerIds,
                "snowflake.namespace-creation",
                creation));
        keys.putAll(at);
        keys.put("snowflake.generators." + generator + ".namespace", namespace);
        return SnowflakeSettings.of(generator, keys::get);
    }

    /** As it is named in the log. */
    String generator(String role) {
        return name + "-" + role;
    }

    Issuer start(String role, int workerId) {
        return start(role, coordinator, workerId, "create");
    }

    Issuer start(String role, Map<String, String> at, int workerId, String creation) {
        return start(role, at, Integer.toString(workerId), creation);
    }

    /** Returns once it has one of several worker ids. */
    Issuer start(String role, String workerIds) {
        return start(role, coordinator, workerIds, "create");
    }

    private Issuer start(String role, Map<String, String> at, String workerIds, String creation) {
        String generator = generator(role);
        Issuer issuer =
                new Issuer(generator, LeasedSnowflake.open(settings(generator, at, workerIds, creation)), noticed);
        issuers.add(issuer);
        return issuer;
    }

    /** The operator's command with the settings of the application. */
    Session command(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 3);
        all[arguments.length] = "-Dsnowflake.namespace=" + namespace;
        all[arguments.length + 1] = "-Dsnowflake.window=" + WINDOW;
        all[arguments.length + 2] = "-Dsnowflake.clock.max-skew=PT1S";
        Map<String, String> environment = new HashMap<>();
        // Which coordinator it is follows from where it is.
        coordinator.forEach((key, value) -> {
            if (!key.equals("snowflake.coordinator")) {
                environment.put(EnvironmentVariable.of(key), value);
            }
        });
        return Session.run(environment, "", all);
    }

    Session tryToRestore(String... more) {
        List<String> arguments = new ArrayList<>(List.of("restore", "--yes", "--namespace", namespace));
        arguments.addAll(List.of(more));
        return command(arguments.toArray(String[]::new));
    }

    void restore(String... more) {
        Session session = tryToRestore(more);
        assertThat(session.exitCode()).as(session.all()).isZero();
    }

    /** Where a key of this namespace is at the coordinator. */
    String key(String rest) {
        return "/" + namespace + "/" + rest;
    }

    static void await(Duration atMost, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(atMost);
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Ends all of them. Returns what was issued twice, by its own time. */
    Duplicates duplicates(Instant since) {
        SnowflakeLayout layout = issuers.get(0).ids.layout();
        issuers.forEach(Issuer::end);
        long[] all = issuers.stream().flatMapToLong(Issuer::issued).sorted().toArray();
        LongSummaryStatistics millis = IntStream.range(1, all.length)
                .filter(i -> all[i] == all[i - 1])
                .mapToLong(i -> Duration.between(since, layout.decode(all[i]).timestamp())
                        .toMillis())
                .summaryStatistics();
        return new Duplicates(all.length, millis.getCount(), millis.getMin(), millis.getMax());
    }

    record Duplicates(long ids, long count, long firstMillis, long lastMillis) {
        @Override
        public String toString() {
            return ids + " ids, " + count + " of them twice"
                    + (count == 0 ? "" : ", " + firstMillis + " to " + lastMillis + " ms after the server was back");
        }
    }

    /** Ends all of them. Returns how many ids there were and how many of them were issued twice. */
    Count count() {
        issuers.forEach(Issuer::end);
        long[] all = issuers.stream().flatMapToLong(Issuer::issued).sorted().toArray();
        long repeated = 0;
        for (int i = 1; i < all.length; i++) {
            repeated += all[i] == all[i - 1] ? 1 : 0;
        }
        return new Count(all.length, repeated);
    }

    record Count(long ids, long repeated) {}

    void requireNoDuplicate() {
        Count count = count();
        assertThat(count.ids()).isGreaterThan(10_000);
        assertThat(count.repeated()).isZero();
    }

    @Override
    public void close() {
        issuers.forEach(Issuer::end);
    }
}
