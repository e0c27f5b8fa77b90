// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Settings;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/** Real threads, more than there are cores, while leases are swapped as fast as can be. */
class SwapRaceTest {

    private static final int SWAPS = 200_000;
    private static final long FAR_AHEAD = 1L << 34;

    private final Settings settings = SnowflakeSettings.of(Map.of(
                    "snowflake.coordinator",
                    "static",
                    "snowflake.static.worker-id",
                    "0",
                    "snowflake.epoch",
                    Instant.now()
                            .minus(1, ChronoUnit.HOURS)
                            .truncatedTo(ChronoUnit.MILLIS)
                            .toString(),
                    "snowflake.worker-id-bits",
                    "20",
                    "snowflake.sequence-bits",
                    "8"))
            .values();

    private final SharedState shared = new SharedState("race", Platform.system(), 1);
    private final CurrentLease inUse = shared.leases().get(0);
    private final IdIssuer ids = new IdIssuer(
            settings, Platform.system(), new VettedClock(Platform.system(), settings.layout(), 10_000), shared, inUse);

    /** The first tick of each lease, by its worker id; beyond the one in use: 0. */
    private final AtomicLongArray begins = new AtomicLongArray(SWAPS + 2);

    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    @BeforeEach
    void open() {
        Lease first = new Lease(0, Long.MAX_VALUE);
        long now = settings.layout().tickOf(System.currentTimeMillis());
        first.grant(Long.MAX_VALUE, System.nanoTime() + 3_600_000_000_000L, 0);
        first.open(now << 8, now, FAR_AHEAD, now);
        shared.publish(inUse, first);
        shared.start();
    }

    @AfterEach
    void close() {
        shared.close();
    }

    @Test
    void everyIdCarriesTheWorkerIdOfTheLeaseThatItsTickBelongsTo() throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors() + 2; i++) {
            Thread caller = new Thread(this::issue);
            caller.start();
            callers.add(caller);
        }

        swap();
        over = true;
        for (Thread caller : callers) {
            caller.join();
        }

        assertThat(wrong).isEmpty();
    }

    private void swap() {
        long begin = settings.layout().tickOf(System.currentTimeMillis()) + 1;
        Lease current = inUse.get();
        for (int id = 1; id <= SWAPS && wrong.isEmpty(); id++) {
            current.seal();
            long last = current.lastIssued();
            begin = last == Lease.SEALED ? begin + 1 : (last >> 8) + 1;
            begins.set(id, begin);
            current = new Lease(id, Long.MAX_VALUE);
            current.grant(Long.MAX_VALUE, System.nanoTime() + 3_600_000_000_000L, 0);
            current.open(begin << 8, begin, FAR_AHEAD, begin);
            shared.publish(inUse, current);
            shared.wakeCallers();
        }
    }

    private long next() {
        long id = ids.tryNextId(0);
        return id != IdIssuer.NONE ? id : ids.nextId(0, () -> false);
    }

    private void issue() {
        while (!over && wrong.isEmpty()) {
            IdParts parts;
            try {
                parts = settings.layout().decode(next());
            } catch (SnowflakeException e) {
                wrong.add(e.toString());
                return;
            }
            int id = parts.workerId();
            if (id == 0) {
                continue;
            }
            long tick = settings.layout().tickOf(parts.timestamp().toEpochMilli());
            long end = begins.get(id + 1);
            if (tick < begins.get(id) || (end != 0 && tick >= end)) {
                wrong.add(parts + " is not of [" + begins.get(id) + ", " + end + ")");
            }
        }
    }
}
