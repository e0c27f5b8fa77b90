// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** With several worker ids, no call gets an id of an earlier millisecond than a call that had returned before it began. */
class OrderAcrossWorkersTest {

    private final VirtualWorld world = new VirtualWorld(1);
    private final FakeStore store = new FakeStore(world);
    private final VirtualWorld.Machine process = world.new Machine();
    private final Map<String, String> keys = new HashMap<>(Map.of("snowflake.workers", "2"));
    private final List<AssertionError> violations = new ArrayList<>();
    private LeasedSnowflake ids;
    private long returnedTick;
    private int callersLeft;

    private void open() {
        ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), store, process);
        // Long enough for the first windows, and for unused worker ids to fall far behind.
        world.sleep(Duration.ofMinutes(2));
    }

    private long tick(long id) {
        return ids.layout().tickOf(ids.layout().decode(id).timestamp().toEpochMilli());
    }

    /** One of the threads that call. */
    private final class Caller {
        private long last = -1;

        void nextId() {
            long before = returnedTick;
            note(before, new long[] {ids.nextId()});
        }

        void nextIds(int count) {
            long before = returnedTick;
            note(before, ids.nextIds(count));
        }

        private void note(long before, long[] got) {
            for (long id : got) {
                assertThat(tick(id))
                        .as("tick of an id, after one had been returned of")
                        .isGreaterThanOrEqualTo(before);
                assertThat(id).as("an id, after the same thread got").isGreaterThan(last);
                last = id;
            }
            returnedTick = Math.max(returnedTick, tick(last));
        }
    }

    private void elsewhere(Runnable work) {
        callersLeft++;
        process.start("caller", () -> {
            try {
                work.run();
            } catch (AssertionError e) {
                violations.add(e);
            } finally {
                callersLeft--;
            }
        });
    }

    private void awaitCallers() {
        while (callersLeft > 0) {
            world.sleep(Duration.ofMillis(1));
        }
        violations.forEach(violation -> {
            throw violation;
        });
    }

    @Test
    void holdsAfterTheClockHasSteppedBack() {
        keys.put("snowflake.clock.on-rollback", "continue");
        keys.put("snowflake.clock.max-ahead", "PT30S");
        open();
        Caller first = new Caller();
        Caller second = new Caller();
        first.nextId();

        process.stepClock(Duration.ofSeconds(-9));
        elsewhere(second::nextId);

        awaitCallers();
        first.nextId();
        // This runs on a thread of its own.
        Caller third = new Caller();
        elsewhere(() -> third.nextIds(3));
        awaitCallers();
    }

    @Test
    void holdsForCallsThatWaitUntilTheClockHasCaughtUp() {
        open();
        Caller first = new Caller();
        Caller second = new Caller();
        first.nextId();

        process.stepClock(Duration.ofMillis(-300));
        elsewhere(second::nextId);

        awaitCallers();
    }

    @Test
    void refusesAnIdThatWouldBreakItIfTheClockIsTooFarBehind() {
        open();
        Caller first = new Caller();
        Caller second = new Caller();
        List<SnowflakeException> refusals = new ArrayList<>();
        first.nextId();

        process.stepClock(Duration.ofSeconds(-9));
        elsewhere(() -> {
            try {
                second.nextId();
            } catch (ClockMovedBackwardsException e) {
                refusals.add(e);
            }
        });

        awaitCallers();
        assertThat(refusals).hasSize(1);
    }

    @Test
    void holdsWhileABurstRunsAheadOfTheClock() {
        keys.put("snowflake.burst", "PT1S");
        keys.put("snowflake.sequence-bits", "4");
        open();
        Caller first = new Caller();
        Caller second = new Caller();
        first.nextIds(16 * 200);

        elsewhere(second::nextId);

        awaitCallers();
        first.nextId();
        elsewhere(() -> second.nextIds(40));
        awaitCallers();
    }

    @Test
    void holdsForManyThreadsWhileTheClockSteps() {
        keys.put("snowflake.workers", "3");
        keys.put("snowflake.clock.on-rollback", "continue");
        keys.put("snowflake.clock.max-ahead", "PT30S");
        keys.put("snowflake.sequence-bits", "3");
        open();
        Random random = new Random(7);
        for (int i = 0; i < 9; i++) {
            Caller caller = new Caller();
            elsewhere(() -> {
                for (int call = 0; call < 300; call++) {
                    if (random.nextInt(4) == 0) {
                        caller.nextIds(1 + random.nextInt(20));
                    } else {
                        caller.nextId();
                    }
                    if (random.nextInt(3) == 0) {
                        process.park(random.nextInt(3_000_000));
                    }
                }
            });
        }
        for (int step = 0; step < 20; step++) {
            world.sleep(Duration.ofMillis(7));
            process.stepClock(Duration.ofMillis(random.nextInt(400) - 200));
        }
        awaitCallers();
    }
}
