// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;

/** Opens a generator, issues from one thread or two, closes it, and opens the next. */
final class SimulatedProcess {

    /** No single id may keep its caller longer: wait-timeout, max-wait, and what a call of the platform takes. */
    private static final long LONGEST_CALL_NANOS = 2_600_000_000L;

    final String name;
    final Machine machine;

    /** Ids issued since this was last set to 0. */
    int issuedSince;

    /** By how much small steps, which no vetting sees, may have moved this process's idea of the time. */
    long unvettedMillis;

    boolean clockTouched;

    private final Simulation run;
    private final Random random;
    private final Thread thread;
    private boolean close;
    private @Nullable LeasedSnowflake generator;
    private long lastId;

    SimulatedProcess(Simulation run, String name) {
        this.run = run;
        this.name = name;
        random = run.random;
        machine = run.world.new Machine();
        run.oracle.add(this);
        thread = machine.start(name, this::live);
    }

    // ---- faults

    void pause(Duration duration) {
        machine.pause(duration);
        run.store.silence(machine, duration);
    }

    void stepClock(Duration by) {
        clockTouched = true;
        if (by.abs().compareTo(run.settings.maxSkew()) <= 0) {
            unvettedMillis += by.abs().toMillis();
        }
        machine.stepClock(by);
    }

    void restoreClock() {
        stepClock(Duration.ofMillis(run.world.trueMillis() - machine.wallMillis()));
    }

    void crash() {
        machine.crash();
        generator = null;
        run.store.silence(machine, Duration.ofDays(1));
    }

    void closeSoon() {
        close = true;
    }

    void interrupt() {
        thread.interrupt();
    }

    // ---- what the oracle asks

    /** The generator that may issue now; null: none. */
    @Nullable
    LeasedSnowflake generator() {
        return generator;
    }

    /** Whether its ids are ahead of the clock for good, since it once believed a clock that was wrong by years. */
    boolean isFarAhead() {
        return generator != null
                && lastId >= 0
                && generator.layout().decode(lastId).timestamp().toEpochMilli() > run.world.trueMillis() + 3_600_000;
    }

    // ---- its threads

    private void live() {
        while (!run.over) {
            try (LeasedSnowflake opened = LeasedSnowflake.open(run.settings, run.store, machine)) {
                generator = opened;
                close = false;
                lastId = -1;
                if (random.nextBoolean()) {
                    Thread unused = machine.start(name, () -> issueUntilClosed(opened));
                }
                issueUntilClosed(opened);
            } catch (CoordinatorRegressedException e) {
                run.oracle.regressed(this, e);
            } catch (SnowflakeException notOpened) {
                run.tally.notOpened++;
                if (run.traced()) {
                    run.note("not opened: " + notOpened.getMessage());
                }
            }
            generator = null;
            Thread.interrupted();
            run.world.sleep(Duration.ofMillis(200 + random.nextInt(2000)));
        }
    }

    private void issueUntilClosed(LeasedSnowflake ids) {
        while (!close && ids.equals(generator)) {
            issue(ids);
            run.world.sleep(Duration.ofMillis(10 + random.nextInt(random.nextInt(4) == 0 ? 50 : 2000)));
            if (thread.equals(Thread.currentThread())) {
                Thread.interrupted();
            }
        }
    }

    private void issue(LeasedSnowflake ids) {
        long began = run.world.nanoTime();
        long paused = machine.pausedNanos();
        long highestBefore = lastId;
        int count =
                switch (random.nextInt(24)) {
                    case 0 -> 4000 + random.nextInt(2000);
                    case 1, 2, 3, 4, 5 -> 1 + random.nextInt(20);
                    default -> 1;
                };
        try {
            long[] issued = count == 1 ? new long[] {ids.nextId()} : ids.nextIds(count);
            run.oracle.issued(this, issued, highestBefore);
            lastId = Math.max(lastId, issued[issued.length - 1]);
            issuedSince++;
        } catch (CoordinatorRegressedException e) {
            run.oracle.regressed(this, e);
            close = true;
        } catch (SnowflakeException unavailable) {
            run.tally.refused++;
            if (run.traced()) {
                run.note("no id: " + unavailable.getMessage());
            }
        }
        long took = run.world.nanoTime() - began - (machine.pausedNanos() - paused);
        if (count == 1 && took > LONGEST_CALL_NANOS) {
            run.oracle.violated(name + " waited " + took / 1_000_000 + " ms for an id");
        }
    }
}
