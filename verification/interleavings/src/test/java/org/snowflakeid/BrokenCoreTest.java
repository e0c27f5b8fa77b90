// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.HotPathScenarios.BatchThatWasGivenUp;
import org.snowflakeid.HotPathScenarios.BatchesBesideSingles;
import org.snowflakeid.HotPathScenarios.BreakDownWhileWaiting;
import org.snowflakeid.HotPathScenarios.Close;
import org.snowflakeid.HotPathScenarios.CloseBesideSwap;
import org.snowflakeid.HotPathScenarios.CloseWhileWaiting;
import org.snowflakeid.HotPathScenarios.Events;
import org.snowflakeid.HotPathScenarios.GivesUpWhenCalled;
import org.snowflakeid.HotPathScenarios.InterruptWhileWaiting;
import org.snowflakeid.HotPathScenarios.LateAfterUsedUpTick;
import org.snowflakeid.HotPathScenarios.NoticedEnd;
import org.snowflakeid.HotPathScenarios.RequestBesideLook;
import org.snowflakeid.HotPathScenarios.RestoredCopy;
import org.snowflakeid.HotPathScenarios.RestoredCopyBesideKeeper;
import org.snowflakeid.HotPathScenarios.SkipAndSeal;
import org.snowflakeid.HotPathScenarios.StatusBesideExtension;
import org.snowflakeid.HotPathScenarios.StatusBesideSwap;
import org.snowflakeid.HotPathScenarios.Swap;
import org.snowflakeid.HotPathScenarios.TimePassing;
import org.snowflakeid.HotPathScenarios.TwoCallers;
import org.snowflakeid.HotPathScenarios.TwoWorkerIds;
import org.snowflakeid.HotPathScenarios.UsedUpTick;
import org.snowflakeid.HotPathScenarios.UsedUpWindow;
import org.snowflakeid.HotPathScenarios.WaitingForSwap;
import org.snowflakeid.ids.CatchUp;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.ids.StripedIssuers;
import org.snowflakeid.ids.WaitingCall;
import org.snowflakeid.ids.WaitingLine;
import org.snowflakeid.interleaving.InstrumentedCore;
import org.snowflakeid.interleaving.Interleavings;
import org.snowflakeid.interleaving.Scenario;
import org.snowflakeid.keeper.EventDelivery;
import org.snowflakeid.keeper.ExtensionPlan;
import org.snowflakeid.keeper.Keeper;
import org.snowflakeid.keeper.KeeperThread;
import org.snowflakeid.keeper.Succession;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.HighTick;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.StatusView;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.lease.WaitingThreads;

/** Scenarios are worth something only if they find the mistakes that they are for. */
@SuppressWarnings("StringConcatToTextBlock") // the indentation of core's source is part of these texts
@ExtendWith(LogTurnedOff.class)
class BrokenCoreTest {

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> isFoundOut() {
        return Stream.of(
                fails(
                        Mutant.of(
                                "takes a position in two steps",
                                Lease.class,
                                "return words.compareAndSet(POSITION, from, to);",
                                "if (words.get(POSITION) != from) { return false; } words.set(POSITION, to); return true;"),
                        TwoCallers.class,
                        "was issued twice"),
                fails(
                        Mutant.of(
                                "takes a position unconditionally",
                                Lease.class,
                                "return words.compareAndSet(POSITION, from, to);",
                                "words.set(POSITION, to); return true;"),
                        SkipAndSeal.class,
                        ""),
                fails(
                        Mutant.of(
                                "goes on at the begin of a tick that was used up in part",
                                CatchUp.class,
                                "? following : present;",
                                "? positions.first(tick) : present;"),
                        LateAfterUsedUpTick.class,
                        ""),
                fails(
                        Mutant.of(
                                "seals in two steps",
                                Lease.class,
                                "words.getAndSet(POSITION, SEALED);",
                                "words.get(POSITION); words.set(POSITION, SEALED);"),
                        Close.class,
                        ""),
                fails(
                        Mutant.of(
                                "seals in two steps, the last position read first",
                                Lease.class,
                                "words.getAndSet(POSITION, SEALED);",
                                "words.get(POSITION); words.set(POSITION, SEALED);"),
                        SkipAndSeal.class,
                        "the last was said to be"),
                fails(
                        Mutant.of("seals without the monitor", Lease.class, "synchronized void seal()", "void seal()"),
                        CloseBesideSwap.class,
                        "a data race"),
                fails(
                        Mutant.of(
                                "reads what was issued last without the monitor",
                                Lease.class,
                                "synchronized long lastIssuedHere() {\n        long last = lastIssued();",
                                "long lastIssuedHere() {\n        long last = words.get(POSITION);"
                                        + " if (last == SEALED) { last = finalPosition; }"),
                        CloseBesideSwap.class,
                        "a data race"),
                fails(
                        Mutant.of(
                                "counts an end that was noticed before", Lease.class, "|| noticed - endNanos < 0", ""),
                        NoticedEnd.class,
                        "before it came"),
                fails(
                        Mutant.of(
                                "swaps without sealing",
                                Succession.class,
                                "        if (old != null) {\n" + "            old.claim().lease().seal();\n"
                                        + "        }\n",
                                ""),
                        Swap.class,
                        "had been returned"),
                fails(
                        Mutant.of(
                                "publishes before it seals",
                                Succession.class,
                                "        if (old != null) {\n" + "            old.claim().lease().seal();\n"
                                        + "        }\n",
                                "",
                                "        shared.publish(inUse, next.claim().lease());\n",
                                "        shared.publish(inUse, next.claim().lease());\n"
                                        + "        if (old != null) {\n" + "            old.claim().lease().seal();\n"
                                        + "        }\n"),
                        Swap.class,
                        ""),
                fails(
                        Mutant.of(
                                "starts a lease where it was granted, not above what was issued",
                                Succession.class,
                                "Math.max(Math.max(next.claim().from(), leastTick), firstTick())",
                                "Math.max(next.claim().from(), leastTick)"),
                        Swap.class,
                        ""),
                fails(
                        Mutant.of(
                                "notes the highest tick before sealing",
                                Succession.class,
                                "        left.ensureCapacity(left.size() + 1);\n        if (old != null) {\n",
                                "        left.ensureCapacity(left.size() + 1);\n        long early = firstTick();\n"
                                        + "        if (old != null) {\n",
                                "leastTick), firstTick())",
                                "leastTick), early)"),
                        Swap.class,
                        ""),
                fails(
                        Mutant.of(
                                "has one limit for all leases",
                                Lease.class,
                                "private volatile long limit;",
                                "private static volatile long limit;"),
                        WaitingForSwap.class,
                        ""),
                fails(
                        Mutant.of(
                                "takes the worker id of the lease that is there by now",
                                IdIssuer.class,
                                "return positions.id(next, current.workerId);",
                                "return positions.id(next, inUse.get().workerId);"),
                        Swap.class,
                        ""),
                fails(
                        Mutant.of(
                                "uses a grant that it has only asked for",
                                ExtensionPlan.class,
                                "        return claim.nextWrite(nextWindowTicks);",
                                "        claim.lease().grant(Positions.of(layout).first(claim.limit() + nextWindowTicks), claim.lease().endNanos(), nextWindowTicks);\n"
                                        + "        return claim.nextWrite(nextWindowTicks);"),
                        WaitingForSwap.class,
                        "lies outside of"),
                fails(
                        Mutant.of(
                                "lets batches pass the limit",
                                WaitingCall.class,
                                "int mine = (int) Math.min(most, free);",
                                "int mine = most;"),
                        UsedUpWindow.class,
                        "lies outside of"),
                fails(
                        Mutant.of(
                                "takes one position less than it puts into a batch",
                                WaitingCall.class,
                                "long highest = next + mine + others - 1;",
                                "long highest = Math.max(next, next + mine + others - 2);"),
                        BatchesBesideSingles.class,
                        ""),
                fails(
                        Mutant.of(
                                "gives an id to a batch that is back in the queue",
                                WaitingLine.class,
                                "return single && id.compareAndSet(WAITING, issued);",
                                "return id.compareAndSet(WAITING, issued);"),
                        BatchThatWasGivenUp.class,
                        "a batch got id"),
                fails(
                        Mutant.of(
                                "gives up positions in two steps",
                                Lease.class,
                                "&& !words.compareAndSet(POSITION, last, floor - 1));",
                                "&& false); if (last != SEALED && last < floor - 1) { words.set(POSITION, floor - 1); }"),
                        SkipAndSeal.class,
                        ""),
                fails(
                        Mutant.of(
                                "reads the clock before the position",
                                WaitingCall.class,
                                "            boolean leads = me != null",
                                "            long early = clock.tick();\n            boolean leads = me != null",
                                "            long now = clock.tick();\n            firstTick",
                                "            long now = early;\n            firstTick"),
                        TimePassing.class,
                        "ClockMovedBackwardsException"),
                fails(
                        Mutant.of(
                                "does not wake the call that it served",
                                WaitingLine.class,
                                "        platform.unpark(first.thread);\n        queue.remove(first);",
                                "        queue.remove(first);"),
                        UsedUpTick.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "wakes no other call when a turn ends",
                                WaitingLine.class,
                                "            if (next.isWaiting()) {\n                platform.unpark(next.thread);\n",
                                "            if (next.isWaiting()) {\n"),
                        UsedUpTick.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "passes the lead to a call that gave up",
                                WaitingLine.class,
                                "            if (next.isWaiting()) {\n                platform.unpark(next.thread);\n",
                                "            if (true) {\n                platform.unpark(next.thread);\n"),
                        GivesUpWhenCalled.class,
                        "the last one was not called"),
                fails(
                        Mutant.of(
                                "publishes a lease before it is open",
                                Succession.class,
                                "        next.claim().lease().open(positions.first(first), first, allowedTicks, Math.min(now, first));\n"
                                        + "        shared.publish(inUse, next.claim().lease());\n",
                                "        shared.publish(inUse, next.claim().lease());\n"
                                        + "        next.claim().lease().open(positions.first(first), first, allowedTicks, Math.min(now, first));\n"),
                        WaitingForSwap.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "wakes before it publishes",
                                Succession.class,
                                "        shared.publish(inUse, next.claim().lease());\n",
                                "        shared.wakeCallers();\n"
                                        + "        shared.publish(inUse, next.claim().lease());\n",
                                "        shared.wakeCallers();\n" + "        reports.swapped(",
                                "        reports.swapped("),
                        WaitingForSwap.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "publishes an open lease after close",
                                SharedState.class,
                                "            if (closed) {\n" + "                next.seal();\n" + "            }\n",
                                ""),
                        CloseBesideSwap.class,
                        ""),
                fails(
                        Mutant.of(
                                "publishes without the monitor",
                                SharedState.class,
                                "    public void publish(CurrentLease inUse, Lease next) {\n"
                                        + "        synchronized (leases) {\n",
                                "    public void publish(CurrentLease inUse, Lease next) {\n" + "        {\n"),
                        CloseBesideSwap.class,
                        ""),
                fails(
                        Mutant.of(
                                "closes without the monitor",
                                SharedState.class,
                                "    public void close() {\n" + "        synchronized (leases) {\n",
                                "    public void close() {\n" + "        {\n"),
                        CloseBesideSwap.class,
                        ""),
                fails(
                        Mutant.of(
                                "closes without sealing",
                                SharedState.class,
                                "            closed = true;\n"
                                        + "            leases.forEach(inUse -> inUse.get().seal());\n",
                                "            closed = true;\n"),
                        CloseBesideSwap.class,
                        "after close had returned"),
                fails(
                        Mutant.of(
                                "lets those who wait go on waiting when it breaks down",
                                SharedState.class,
                                "|| broken != null, nanos",
                                "|| false, nanos"),
                        BreakDownWhileWaiting.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "lets those who wait go on waiting when it closes",
                                SharedState.class,
                                "|| closed || broken",
                                "|| broken"),
                        CloseWhileWaiting.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "forgets a request that comes while it looks",
                                CurrentLease.class,
                                "        if (wanted) {",
                                "        if (true) {"),
                        RequestBesideLook.class,
                        "a request was forgotten"),
                fails(
                        Mutant.of(
                                "forgets a wake-up that comes while it is at work",
                                KeeperThread.class,
                                "        woken = false;\n" + "        sleepUntil(step());\n",
                                "        long wake = step();\n" + "        woken = false;\n"
                                        + "        sleepUntil(wake);\n"),
                        RestoredCopyBesideKeeper.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "looks before it asks to be woken",
                                WaitingThreads.class,
                                "        threads.add(self);\n",
                                "",
                                "platform.park(left);",
                                "threads.add(self); platform.park(left);"),
                        WaitingForSwap.class,
                        "no thread can go on"),
                fails(
                        Mutant.of(
                                "does not look whether it was interrupted",
                                WaitingThreads.class,
                                "left <= 0 || self.isInterrupted()",
                                "left <= 0 || Thread.interrupted()"),
                        InterruptWhileWaiting.class,
                        ""),
                fails(
                        Mutant.of(
                                "reads the limit before the window",
                                StatusView.class,
                                "        long windowTicks = lease.windowTicks();\n",
                                "",
                                "ticksLeft > ticksNotReady(windowTicks)",
                                "ticksLeft > ticksNotReady(lease.windowTicks())"),
                        StatusBesideExtension.class,
                        "not ready"),
                fails(
                        Mutant.of(
                                "lets callers read what is the keeper's",
                                StatusView.class,
                                "        long drift = issuing",
                                "        boolean unused = clock.isSteady();\n" + "        long drift = issuing"),
                        StatusBesideExtension.class,
                        "a data race"),
                fails(
                        Mutant.of(
                                "mixes two leases in a status",
                                StatusView.class,
                                "positions.tick(lease.granted());",
                                "positions.tick(inUse.get().granted());"),
                        StatusBesideSwap.class,
                        "two leases in one status"),
                fails(
                        Mutant.of(
                                "raises the highest tick in two steps",
                                HighTick.class,
                                "while (tick > seen && !words.compareAndSet(TICK, seen, tick)) {\n"
                                        + "            seen = words.get(TICK);\n" + "        }",
                                "if (tick > seen) {\n" + "            words.set(TICK, tick);\n" + "        }"),
                        TwoWorkerIds.class,
                        "had been returned"),
                fails(
                        Mutant.of(
                                "raises the highest tick one call late",
                                StripedIssuers.class,
                                "        memory[LAST_ID] = id;\n"
                                        + "        highTick.raise(issuers.get(0).tickOf(id));\n",
                                "        highTick.raise(issuers.get(0).tickOf(memory[LAST_ID]));\n"
                                        + "        memory[LAST_ID] = id;\n"),
                        TwoWorkerIds.class,
                        "had been returned"),
                fails(
                        Mutant.of(
                                "does not raise the highest tick after a batch",
                                StripedIssuers.class,
                                "return noted(memory, last);",
                                "memory[LAST_ID] = last;\n" + "        return last;"),
                        TwoWorkerIds.class,
                        "had been returned"),
                fails(
                        Mutant.of(
                                "does not look at the highest tick",
                                StripedIssuers.class,
                                "present.tryNextId(highTick.get())",
                                "present.tryNextId(0)"),
                        TwoWorkerIds.class,
                        "had been returned"),
                fails(
                        Mutant.of(
                                "shows the clock before a copy was excluded",
                                Keeper.class,
                                "        if (guarded) {\n" + "            try {",
                                "        clock.copyExcluded(steps);\n" + "        clock.show();\n"
                                        + "        if (guarded) {\n" + "            try {"),
                        RestoredCopy.class,
                        "a copy of the process issued"),
                fails(
                        Mutant.of(
                                "counts a write for a step that came after it",
                                Keeper.class,
                                "clock.copyExcluded(steps);",
                                "clock.copyExcluded(clock.steps());"),
                        RestoredCopyBesideKeeper.class,
                        "a copy of the process issued"),
                fails(
                        Mutant.of(
                                "shows a clock that has just stepped",
                                VettedClock.class,
                                "if (anchored && !isCopySuspected()) {",
                                "if (anchored) {"),
                        RestoredCopyBesideKeeper.class,
                        "a copy of the process issued"),
                fails(
                        Mutant.of(
                                "takes ids without looking at the clock twice",
                                IdIssuer.class,
                                "                && clock.isCredible(now)\n                && current.advance",
                                "                && current.advance"),
                        RestoredCopy.class,
                        "a copy of the process issued"),
                fails(
                        Mutant.of(
                                "delivers two events at the same time",
                                EventDelivery.class,
                                "SnowflakeEvent event = queue.remove();",
                                "SnowflakeEvent event = queue.remove();\n"
                                        + "            undelivered.decrementAndGet();",
                                "undelivered.decrementAndGet() > 0",
                                "undelivered.get() > 0"),
                        Events.class,
                        ""),
                fails(
                        Mutant.of(
                                "leaves an event undelivered",
                                EventDelivery.class,
                                "        queue.add(event);\n" + "        if (undelivered.getAndIncrement() == 0) {",
                                "        boolean idle = undelivered.get() == 0;\n" + "        queue.add(event);\n"
                                        + "        undelivered.getAndIncrement();\n" + "        if (idle) {"),
                        Events.class,
                        "not in order, or not all"));
    }

    private DynamicTest fails(Mutant mutant, Class<? extends Scenario> scenario, String expected) {
        return dynamicTest(mutant.what(), () -> {
            InstrumentedCore broken = InstrumentedCore.with(mutant.compile(
                    folder.resolve(mutant.what().replace(' ', '-').replace(",", ""))));

            Interleavings.Result result = Interleavings.explore(3, broken.scenarios(scenario));

            System.out.printf("%s: found after %d schedules%n", mutant.what(), result.schedules());
            assertThat(result.violation()).isNotNull().contains(expected);
        });
    }
}
