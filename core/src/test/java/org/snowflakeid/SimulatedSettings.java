// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.snowflakeid.config.OnRollback;

/** The settings of all generators of a run: usual ones, or odd ones at random, as far as they are valid. */
final class SimulatedSettings {

    /** Unusual settings, each in some of the runs. */
    enum Oddity {
        SEVERAL_WORKER_IDS,
        MORE_WORKER_IDS_THAN_PROCESSES,
        RANGE_THAT_BEGINS_LATER,
        FEW_WORKER_ID_BITS,
        FEW_SEQUENCE_BITS,
        BURST,
        STARTUP_AHEAD,
        CALLS_THAT_DO_NOT_WAIT,
        CALLS_THAT_WAIT_LONG,
        NO_WAIT_FOR_THE_CLOCK,
        LONG_WAIT_FOR_THE_CLOCK,
        LITTLE_AHEAD_OF_THE_CLOCK,
        LONG_WINDOW,
        SHORT_START,
        LONG_START,
        FENCED,
        RESUME_DIRECTORY,
        LATE_WAKES,
        WINDOWS_THAT_DIFFER,
        SLOW_CALLS,
        ANOTHER_LAG
    }

    static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");

    private static final int MOST_CACHED = 10_000;
    private static final Map<Map<String, String>, SnowflakeSettings> CACHED = new HashMap<>();

    /** Keys known to be valid. The search for misspelt keys is slow: it finds all coordinators first. */
    private static final Set<String> KNOWN = new HashSet<>();

    final Map<String, String> keys = new LinkedHashMap<>();
    final int workers;
    final int firstId;
    final int ids;
    final int workerIdBits;
    final int sequenceBits;
    final Duration window;
    final Duration startupTimeout;
    final Duration waitTimeout;
    final Duration maxWait;
    final OnRollback onRollback;
    final Duration maxAhead;
    final Duration maxSkew;
    final Duration burst;
    final Duration startupAhead;
    final boolean fenced;

    /** The usual lag, unless {@link #lag} sets another. */
    Duration maxLag = Duration.ofMillis(10);

    private final Random random;
    private final Tally tally;

    SimulatedSettings(Random random, boolean wide, boolean fenced, Tally tally) {
        this.random = random;
        this.tally = tally;
        workers =
                odd(Oddity.SEVERAL_WORKER_IDS, wide ? 4 : 10) ? 2 + random.nextInt(random.nextInt(8) == 0 ? 7 : 2) : 1;
        if (workers > 1) {
            ids = workers + random.nextInt(workers + 1) + (wide ? random.nextInt(4) : 0);
        } else if (wide) {
            ids = 3 + random.nextInt(8);
        } else {
            ids = odd(Oddity.MORE_WORKER_IDS_THAN_PROCESSES, 16) ? 4 : 1 + random.nextInt(2);
        }
        // Joining a namespace reads all of it.
        int fewest = Math.max(1, 32 - Integer.numberOfLeadingZeros(ids - 1));
        workerIdBits = odd(Oddity.FEW_WORKER_ID_BITS, 8) ? fewest : Math.max(4, fewest);
        firstId = odd(Oddity.RANGE_THAT_BEGINS_LATER, 8) ? random.nextInt((1 << workerIdBits) - ids + 1) : 0;
        sequenceBits = odd(Oddity.FEW_SEQUENCE_BITS, 8) ? 1 + random.nextInt(4) : 12;

        window = Duration.ofSeconds(odd(Oddity.LONG_WINDOW, fenced ? 6 : 24) ? 60 : 3 << random.nextInt(3));
        long shortest = window.toMillis() * 3 / 2;
        startupTimeout = Duration.ofMillis(
                odd(Oddity.SHORT_START, 8)
                        ? shortest
                        : odd(Oddity.LONG_START, 8) ? 120_000 : Math.max(20_000, shortest));
        waitTimeout = Duration.ofMillis(
                odd(Oddity.CALLS_THAT_DO_NOT_WAIT, 12) ? 0 : odd(Oddity.CALLS_THAT_WAIT_LONG, 12) ? 15_000 : 2000);
        maxWait = Duration.ofMillis(
                odd(Oddity.NO_WAIT_FOR_THE_CLOCK, 12) ? 0 : odd(Oddity.LONG_WAIT_FOR_THE_CLOCK, 12) ? 30_000 : 500);
        maxSkew = Duration.ofSeconds(random.nextBoolean() ? 10 : 1);
        burst = Duration.ofMillis(odd(Oddity.BURST, 4) ? 1000 : 0);
        startupAhead = Duration.ofMillis(odd(Oddity.STARTUP_AHEAD, 4) ? 4000 : 0);
        this.fenced = fenced || odd(Oddity.FENCED, 4);

        put("worker-id-bits", workerIdBits);
        put("sequence-bits", sequenceBits);
        put("worker-ids", firstId + "-" + (firstId + ids - 1));
        put("workers", workers);
        put("window", window);
        put("startup-timeout", startupTimeout);
        put("startup-ahead", startupAhead);
        put("wait-timeout", waitTimeout);
        put("burst", burst);
        put("clock.max-wait", maxWait);
        put("clock.max-skew", maxSkew);
        onRollback = List.of(OnRollback.values()).get(random.nextInt(3));
        put("clock.on-rollback", onRollback.name().toLowerCase(Locale.ROOT));
        boolean littleAhead = odd(Oddity.LITTLE_AHEAD_OF_THE_CLOCK, 12);
        if (littleAhead) {
            put("clock.max-ahead", Duration.ofMillis(100));
        }
        maxAhead = littleAhead ? Duration.ofMillis(100) : Duration.ofSeconds(5);
        put("namespace-creation", this.fenced ? "create-fenced" : "create");
    }

    boolean resumes() {
        return keys.containsKey("snowflake.resume.directory");
    }

    /** Draws nothing, so that runs without this setting stay the same. */
    void resume() {
        tally.count(Oddity.RESUME_DIRECTORY);
        put("resume.directory", "/resume");
    }

    /** Draws nothing, like {@link #resume}. */
    void lag(int millis) {
        tally.count(Oddity.ANOTHER_LAG);
        maxLag = Duration.ofMillis(millis);
        put("clock.max-lag", maxLag);
    }

    private boolean odd(Oddity oddity, int oneIn) {
        boolean odd = random.nextInt(oneIn) == 0;
        if (odd) {
            tally.count(oddity);
        }
        return odd;
    }

    private void put(String key, Object value) {
        keys.put("snowflake." + key, value.toString());
    }

    /** The settings as core reads them, for a namespace of this name. */
    SnowflakeSettings of(String namespace) {
        return of(namespace, window);
    }

    /** The settings of a process that does not have the new window yet, while others do. */
    SnowflakeSettings withHalfTheWindow(String namespace) {
        return of(namespace, window.dividedBy(2));
    }

    private SnowflakeSettings of(String namespace, Duration itsWindow) {
        if (CACHED.size() > MOST_CACHED) {
            CACHED.clear();
        }
        Map<String, String> all = new HashMap<>(keys);
        all.put("snowflake.namespace", namespace);
        all.put("snowflake.window", itsWindow.toString());
        return CACHED.computeIfAbsent(all, SimulatedSettings::read);
    }

    private static SnowflakeSettings read(Map<String, String> all) {
        if (KNOWN.containsAll(all.keySet())) {
            return SnowflakeSettings.of(SnowflakeSettings.DEFAULT_GENERATOR, all::get);
        }
        SnowflakeSettings settings = SnowflakeSettings.of(all);
        KNOWN.addAll(all.keySet());
        return settings;
    }

    boolean contains(int workerId) {
        return workerId >= firstId && workerId < firstId + ids;
    }

    long tickOf(long millis) {
        return millis - EPOCH.toEpochMilli();
    }

    long millisOf(long tick) {
        return tick + EPOCH.toEpochMilli();
    }

    long tick(long id) {
        return id >>> (workerIdBits + sequenceBits);
    }

    int workerId(long id) {
        return (int) (id >>> sequenceBits) & ((1 << workerIdBits) - 1);
    }

    long lastTick() {
        return (1L << (63 - workerIdBits - sequenceBits)) - 1;
    }

    @Override
    public String toString() {
        return keys.toString();
    }
}
