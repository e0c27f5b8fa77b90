// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.snowflakeid.ids.WaitingLine;
import org.snowflakeid.interleaving.Scenario;
import org.snowflakeid.interleaving.Schedule;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.testing.MemoryStore.Fault;

/** Callers, the keeper and others at the same time. Each scenario keeps the ledger of {@link GeneratorScenario}. */
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

    /** Callers want more ids than a millisecond holds: the leading call waits for the next, the others sleep. */
    static final class UsedUpTick extends GeneratorScenario {
        @Override
        void prepare() {
            open("sequence-bits", "1");
            callers("a", "b");
            schedule.actor("batch", () -> callForBatch(3));
        }
    }

    /** A call that waits for the next millisecond sleeps too long, and ids go on where they were. */
    static final class LateAfterUsedUpTick extends GeneratorScenario {
        @Override
        void prepare() {
            open("sequence-bits", "1");
            wakeLate(4);
            callForBatch(3);
            callers("a", "b");
            schedule.actor("batch", () -> callForBatch(3));
        }
    }

    /** A millisecond has few ids, so that the leading call serves the others. */
    static final class ServedInTheQueue extends GeneratorScenario {
        @Override
        void prepare() {
            open("sequence-bits", "2");
            callForBatch(3);
            callers("a", "b");
            schedule.actor("c", () -> call(1));
        }
    }

    /** The queue by itself: a batch that was called and given up comes back while the others are served. */
    static final class BatchThatWasGivenUp extends GeneratorScenario {
        private WaitingLine line;
        private WaitingLine.Waiter batch;
        private WaitingLine.Waiter single;

        @Override
        void prepare() {
            line = new WaitingLine(new ScheduledPlatform() {
                @Override
                public void park(long nanos) {
                    // One look is enough.
                }
            });
            WaitingLine.Waiter first = join(true);
            batch = join(false);
            line.leave(first);
            schedule.advance(20_000_000);
            WaitingLine.Waiter leader = join(true);
            single = join(true);
            line.await(leader, 1);
            require(leader.leads(), "the lead was not taken from the batch");
            schedule.actor("leader", () -> line.serve(line.lastArrival(), 100, 1, 1, 1, 1));
            schedule.actor("batch", () -> line.await(batch, 1));
        }

        private WaitingLine.Waiter join(boolean one) {
            WaitingLine.Waiter waiter = line.waiter(one, 0);
            line.join(waiter);
            return waiter;
        }

        @Override
        public void end() {
            require(batch.id() < 0, "a batch got id " + batch.id());
            require(single.id() < 0 || single.id() == 100, "the other call got id " + single.id());
        }
    }

    /** The queue by itself: the call that has the lead next gives up while it is called. */
    static final class GivesUpWhenCalled extends GeneratorScenario {
        private WaitingLine line;
        private WaitingLine.Waiter last;

        @Override
        void prepare() {
            line = new WaitingLine(new ScheduledPlatform() {
                @Override
                public void park(long nanos) {
                    // One look is enough.
                }
            });
            WaitingLine.Waiter first = join();
            WaitingLine.Waiter second = join();
            last = join();
            schedule.actor("first", () -> line.leave(first));
            schedule.actor("second", () -> line.leave(second));
        }

        private WaitingLine.Waiter join() {
            WaitingLine.Waiter waiter = line.waiter(true, 0);
            line.join(waiter);
            return waiter;
        }

        @Override
        public void end() {
            line.await(last, 1);
            require(last.leads(), "the last one was not called");
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

    /** Callers wait at the end of a window that will not be extended: only the swap lets them go on. */
    static final class WaitingForSwap extends GeneratorScenario {
        @Override
        void prepare() {
            openWithLeft(1);
            takeOver();
            callers("a", "b");
        }
    }

    /** The keeper swaps while the generator is closed, by a thread whose interrupt keeps it from waiting for the end. */
    static final class CloseBesideSwap extends GeneratorScenario {
        private boolean closed;

        @Override
        void prepare() {
            open("sequence-bits", "1", "burst", "PT1S");
            makeExtensionDue();
            takeOver();
            schedule.actor("a", this::callUntilClosed);
            schedule.actor("closer", () -> {
                Thread.currentThread().interrupt();
                ids.close();
                closed = true;
                require(Thread.interrupted(), "the interrupt was lost");
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
    }

    /** The keeper runs out of memory in the middle of a swap, and does it again. */
    static final class FailureInSwap extends GeneratorScenario {
        @Override
        void prepare() {
            openWithLeft(1);
            takeOver();
            schedule.timePasses();
            failAtNextWake();
            callers("a", "b");
        }
    }

    /** Two worker ids, of which one runs ahead of the other. */
    static final class TwoWorkerIds extends GeneratorScenario {
        @Override
        void prepare() {
            open("workers", "2", "sequence-bits", "1", "burst", "PT1S");
            schedule.actor("a", () -> call(3));
            schedule.actor("b", () -> call(1));
            schedule.actor("batch", () -> {
                callForBatch(3);
                call(1);
            });
        }
    }

    /** The windows of two worker ids are used up at the same time. */
    static final class TwoUsedUpWindows extends GeneratorScenario {
        @Override
        void prepare() {
            openWithLeft(1, "workers", "2", "window", "PT20S", "burst", "PT10S");
            schedule.actor("a", () -> call(3));
            schedule.actor("b", () -> call(2));
        }
    }

    /** A restored image, after another copy of it has extended. */
    static final class RestoredCopy extends GeneratorScenario {
        @Override
        void prepare() {
            open();
            int copied = copyExtends();
            stepAhead(Duration.ofSeconds(5));
            schedule.actor("a", () -> callAsACopy(this, copied));
            schedule.actor("b", () -> callAsACopy(this, copied));
        }
    }

    /** The same at any moment while the keeper finds out that an earlier step had no copy behind it. */
    static final class RestoredCopyBesideKeeper extends GeneratorScenario {
        @Override
        void prepare() {
            open();
            schedule.actor("first", () -> {
                stepAhead(Duration.ofSeconds(5));
                try {
                    require(ids.nextId() > 0, "negative");
                } catch (SnowflakeException e) {
                    // by what the copy wrote, or since ids go on where it cannot be
                }
            });
            schedule.actor("image", () -> {
                int copied = copyExtends();
                stepAhead(Duration.ofSeconds(5));
                callAsACopy(this, copied);
            });
        }
    }

    /** The wall clock steps, and there is no copy: calls wait until that is known, and ids go on where no copy would have been. */
    static final class StepAhead extends GeneratorScenario {
        private int before;

        @Override
        void prepare() {
            open();
            before = ids.status().workerId().orElseThrow();
            stepAhead(Duration.ofSeconds(5));
            schedule.actor("a", this::callElsewhere);
            schedule.actor("b", this::callElsewhere);
        }

        private void callElsewhere() {
            long id = ids.nextId();
            require(ids.layout().decode(id).workerId() != before, "an id in what a copy could use: " + id);
        }
    }

    /** A listener is called by one thread at a time, for each event once and in their order. */
    static final class Events extends GeneratorScenario {
        private final List<SnowflakeEvent> events = new ArrayList<>();
        private String mistake = "";
        private boolean called;

        @Override
        void prepare() {
            listen(event -> {
                if (called) {
                    mistake = "two events are delivered at the same time";
                }
                called = true;
                schedule.advance(0);
                events.add(event);
                called = false;
            });
            open("sequence-bits", "1", "burst", "PT1S");
            makeExtensionDue();
            takeOver();
            callers("a");
        }

        @Override
        public void end() {
            super.end();
            require(mistake.isEmpty(), mistake);
            require(
                    events.stream()
                            .map(event -> event.getClass().getSimpleName())
                            .toList()
                            .equals(List.of("Claimed", "Lost", "Swapped")),
                    "not in order, or not all: " + events);
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

    /** The coordinator forgets the mark: no call waits for ever, and each is told why. */
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
            lease.open(10, 10, 0, 10);
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

    /** A lease by itself: a caller notices that its window ended while the next one is granted. */
    static final class NoticedEnd implements Scenario {
        private final Lease lease = new Lease(0, 100);

        @Override
        public void begin(Schedule schedule) {
            lease.open(10, 10, 0, 10);
            lease.grant(100, 1_000, 50);
            schedule.actor("a", () -> lease.noticeEnd(1_100));
            schedule.actor("b", () -> lease.noticeEnd(1_200));
            schedule.actor("keeper", () -> lease.grant(200, 2_000, 100));
        }

        @Override
        public void end() {
            long noticed = lease.noticeEnd(2_100);
            GeneratorScenario.require(
                    noticed == 2_100, "the end of the next window was noticed before it came: " + noticed);
        }
    }

    /** A request for more than is granted, while the keeper looks whether there is one. */
    static final class RequestBesideLook implements Scenario {
        private final CurrentLease inUse = new CurrentLease();
        private boolean taken;

        @Override
        public void begin(Schedule schedule) {
            schedule.actor("a", inUse::wantMore);
            schedule.actor("b", inUse::wantMore);
            schedule.actor("c", inUse::wantMore);
            schedule.actor("keeper", () -> taken = inUse.takeMoreWanted());
        }

        @Override
        public void end() {
            GeneratorScenario.require(taken || inUse.takeMoreWanted(), "a request was forgotten");
        }
    }

    /** What is issued under the worker id that a copy uses would be issued twice. */
    private static void callAsACopy(GeneratorScenario scenario, int copied) {
        long id;
        try {
            id = scenario.ids.nextId();
        } catch (SnowflakeException e) {
            return;
        }
        GeneratorScenario.require(
                scenario.ids.layout().decode(id).workerId() != copied, "a copy of the process issued " + id);
    }

    /** A caller may get the one id that is left, and no more. */
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
