// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import org.snowflakeid.interleaving.Scenario;
import org.snowflakeid.interleaving.Schedule;
import org.snowflakeid.testing.MemoryStore.Fault;

/** What callers, the keeper and others do at the same time. In each, the ledger of {@link GeneratorScenario} is kept. */
final class HotPathScenarios {

    private HotPathScenarios() {}

    static final class TwoCallers extends GeneratorScenario {
        @Override
        void prepare() {
            open();
            callers("a", "b");
        }
    }

    static final class ThreeCallers extends GeneratorScenario {
        @Override
        void prepare() {
            open();
            schedule.actor("a", () -> call(1));
            schedule.actor("b", () -> call(1));
            schedule.actor("c", () -> call(1));
        }
    }

    static final class BatchesBesideSingles extends GeneratorScenario {
        @Override
        void prepare() {
            open("sequence-bits", "2");
            schedule.actor("single", () -> call(1));
            schedule.actor("batch", () -> callForBatch(5));
            schedule.actor("other batch", () -> callForBatch(2));
        }
    }

    /** No caller may take the time that passes between two readings for a clock that steps back. */
    static final class TimePassing extends GeneratorScenario {
        @Override
        void prepare() {
            open("clock.on-rollback", "fail");
            callers("a");
            schedule.actor("batch", () -> callForBatch(3));
            schedule.actor("time", () -> {
                schedule.advance(3_000_000);
                schedule.advance(3_000_000);
            });
        }
    }

    /** More is wanted than a millisecond holds: whoever has the turn waits for the next, the others sleep. */
    static final class UsedUpTick extends GeneratorScenario {
        @Override
        void prepare() {
            open("sequence-bits", "1");
            callers("a", "b");
            schedule.actor("batch", () -> callForBatch(3));
        }
    }

    static final class Extension extends GeneratorScenario {
        @Override
        void prepare() {
            open();
            makeExtensionDue();
            callers("a", "b");
        }
    }

    /** Callers use the window up and wait for the next, batches beside singles. */
    static final class UsedUpWindow extends GeneratorScenario {
        @Override
        void prepare() {
            openWithLeft(2);
            schedule.actor("single", () -> call(2));
            schedule.actor("batch", () -> callForBatch(3));
        }
    }

    static final class Swap extends GeneratorScenario {
        @Override
        void prepare() {
            open("sequence-bits", "1", "burst", "PT1S");
            makeExtensionDue();
            takeOver();
            callers("a", "b");
        }
    }

    static final class BatchesOverSwap extends GeneratorScenario {
        @Override
        void prepare() {
            open("sequence-bits", "1", "burst", "PT1S");
            makeExtensionDue();
            takeOver();
            schedule.actor("single", () -> call(1));
            schedule.actor("batch", () -> callForBatch(4));
        }
    }

    /** Callers wait at the end of a window that nobody will extend: only the swap lets them go on. */
    static final class WaitingForSwap extends GeneratorScenario {
        @Override
        void prepare() {
            openWithLeft(1);
            takeOver();
            callers("a", "b");
        }
    }

    static final class Close extends GeneratorScenario {
        private boolean closed;

        @Override
        void prepare() {
            open("sequence-bits", "1", "burst", "PT1S");
            schedule.actor("a", this::callUntilClosed);
            schedule.actor("b", this::callUntilClosed);
            schedule.actor("closer", () -> {
                ids.close();
                closed = true;
            });
        }

        private void callUntilClosed() {
            for (int i = 0; i < 2; i++) {
                boolean tooLate = closed;
                try {
                    call(1);
                } catch (SnowflakeUnavailableException e) {
                    return;
                }
                require(!tooLate, "an id was issued after close had returned");
            }
        }

        @Override
        public void end() {
            super.end();
            require(store.owner("snowflake", 0) == null && store.owner("snowflake", 1) == null, "not released");
        }
    }

    /** A caller that waits for a window is told of the end at once. */
    static final class CloseWhileWaiting extends GeneratorScenario {
        @Override
        void prepare() {
            openWithLeft(1);
            store.faults(() -> Fault.REFUSED);
            schedule.actor("a", () -> callInVain(this, SnowflakeUnavailableException.class));
            schedule.actor("closer", ids::close);
        }
    }

    /** The coordinator forgets the mark: nobody waits for ever, and everybody is told why. */
    static final class BreakDownWhileWaiting extends GeneratorScenario {
        @Override
        void prepare() {
            openWithLeft(1);
            wipe();
            schedule.actor("a", () -> callInVain(this, CoordinatorRegressedException.class));
            schedule.actor("b", () -> callInVain(this, CoordinatorRegressedException.class));
        }
    }

    static final class InterruptWhileWaiting extends GeneratorScenario {
        private boolean flagKept;

        @Override
        void prepare() {
            openWithLeft(1);
            store.faults(() -> Fault.REFUSED);
            Thread caller = schedule.actor("a", () -> {
                callInVain(this, SnowflakeUnavailableException.class);
                flagKept = Thread.currentThread().isInterrupted();
            });
            schedule.actor("other", () -> schedule.interrupt(caller));
        }

        @Override
        public void end() {
            super.end();
            require(flagKept, "the interrupt was lost");
        }
    }

    /** Health is asked for at any moment, and the window is never a third or less. */
    static final class StatusBesideExtension extends GeneratorScenario {
        @Override
        void prepare() {
            open();
            makeExtensionDue();
            schedule.actor("health", () -> {
                SnowflakeStatus status = ids.status();
                require(status.ready() && status.state() == SnowflakeStatus.State.ACTIVE, "not ready: " + status);
            });
            schedule.actor("a", () -> call(1));
        }
    }

    /** A status names one lease: its worker id with its own limit. */
    static final class StatusBesideSwap extends GeneratorScenario {
        @Override
        void prepare() {
            open();
            int before = ids.status().workerId().orElseThrow();
            var limitBefore = ids.status().reservedUntil();
            makeExtensionDue();
            takeOver();
            schedule.actor("health", () -> {
                SnowflakeStatus status = ids.status();
                if (status.workerId().isPresent()) {
                    require(
                            (status.workerId().getAsInt() == before)
                                    == status.reservedUntil().equals(limitBefore),
                            "two leases in one status: " + status);
                }
            });
            schedule.actor("a", () -> call(2));
        }
    }

    /** A lease by itself: positions are given up, and it is sealed, while others issue. */
    static final class SkipAndSeal implements Scenario {
        private static final long FLOOR = 12;

        private final Lease lease = new Lease(0, 100);
        private final long[] highest = new long[3];
        private long skippedAt = Long.MAX_VALUE;

        @Override
        public void begin(Schedule schedule) {
            lease.open(10, 0);
            schedule.actor("a", () -> issue(0));
            schedule.actor("b", () -> issue(1));
            schedule.actor("keeper", () -> {
                lease.skipTo(FLOOR);
                skippedAt = FLOOR;
                lease.seal();
                highest[2] = lease.lastIssued();
            });
        }

        private void issue(int me) {
            for (int i = 0; i < 2; i++) {
                boolean skipped = skippedAt == FLOOR;
                long last;
                do {
                    last = lease.position();
                    if (last == Lease.SEALED) {
                        return;
                    }
                } while (!lease.advance(last, last + 1));
                long position = last + 1;
                GeneratorScenario.require(position > highest[me], position + " after " + highest[me]);
                GeneratorScenario.require(position != highest[1 - me], position + " was issued twice");
                GeneratorScenario.require(!skipped || position >= FLOOR, position + " had been given up");
                highest[me] = position;
            }
        }

        @Override
        public void end() {
            GeneratorScenario.require(
                    Math.max(highest[0], highest[1]) <= highest[2],
                    highest[0] + " and " + highest[1] + " were issued, the last was said to be " + highest[2]);
            GeneratorScenario.require(lease.lastIssued() == highest[2], "what was issued last changed after the seal");
        }
    }

    /** The one id that is left may be had; more may not. */
    private static void callInVain(GeneratorScenario scenario, Class<? extends SnowflakeException> expected) {
        try {
            scenario.call(2);
        } catch (SnowflakeException e) {
            GeneratorScenario.require(expected.isInstance(e), "unexpected " + e);
            return;
        }
        throw new AssertionError("two ids where one was left");
    }
}
