// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.HotPathScenarios.BatchesBesideSingles;
import org.snowflakeid.HotPathScenarios.BreakDownWhileWaiting;
import org.snowflakeid.HotPathScenarios.Close;
import org.snowflakeid.HotPathScenarios.CloseWhileWaiting;
import org.snowflakeid.HotPathScenarios.InterruptWhileWaiting;
import org.snowflakeid.HotPathScenarios.SkipAndSeal;
import org.snowflakeid.HotPathScenarios.StatusBesideExtension;
import org.snowflakeid.HotPathScenarios.StatusBesideSwap;
import org.snowflakeid.HotPathScenarios.Swap;
import org.snowflakeid.HotPathScenarios.TimePassing;
import org.snowflakeid.HotPathScenarios.TwoCallers;
import org.snowflakeid.HotPathScenarios.UsedUpTick;
import org.snowflakeid.HotPathScenarios.UsedUpWindow;
import org.snowflakeid.HotPathScenarios.WaitingForSwap;
import org.snowflakeid.interleaving.InstrumentedCore;
import org.snowflakeid.interleaving.Interleavings;
import org.snowflakeid.interleaving.Scenario;

/** The scenarios are worth something only if they find the mistakes they are there for. */
@SuppressWarnings("StringConcatToTextBlock") // the indentation of core's source is part of these texts
class BrokenCoreTest {

    private static final Logger LOG = Logger.getLogger(LeasedSnowflake.class.getName());

    @TempDir
    private Path folder;

    @BeforeAll
    static void quiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void restore() {
        LOG.setLevel(null);
    }

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
                                "seals in two steps",
                                Lease.class,
                                "words.getAndSet(POSITION, SEALED);",
                                "words.get(POSITION); words.set(POSITION, SEALED);"),
                        Close.class,
                        "lies outside of"),
                fails(
                        Mutant.of(
                                "seals in two steps, the last position read first",
                                Lease.class,
                                "words.getAndSet(POSITION, SEALED);",
                                "words.get(POSITION); words.set(POSITION, SEALED);"),
                        SkipAndSeal.class,
                        "the last was said to be"),
                fails(
                        Mutant.of(
                                "releases without sealing",
                                LeaseKeeper.class,
                                "claim.lease.seal();\n                if (broken",
                                "if (broken"),
                        Close.class,
                        ""),
                fails(
                        Mutant.of("swaps without sealing", LeaseKeeper.class, "old.lease.seal();", ""),
                        Swap.class,
                        "had been returned"),
                fails(
                        Mutant.of(
                                "starts a lease where it was granted, not above what was issued",
                                LeaseKeeper.class,
                                "Math.max(claim.mark.from(), highestTick + 1)",
                                "claim.mark.from()"),
                        Swap.class,
                        ""),
                fails(
                        Mutant.of(
                                "notes the highest tick before sealing",
                                LeaseKeeper.class,
                                "old.lease.seal();\n            noteHighest();",
                                "noteHighest();\n            old.lease.seal();"),
                        Swap.class,
                        ""),
                fails(
                        Mutant.of(
                                "has one limit for all leases",
                                Lease.class,
                                "private volatile long limit;",
                                "private static volatile long limit;"),
                        WaitingForSwap.class,
                        "lies outside of"),
                fails(
                        Mutant.of(
                                "takes the worker id of the lease that is there by now",
                                Stripe.class,
                                "current.advance(last, next)) {\n            return encode(current, next);",
                                "current.advance(last, next)) {\n            return encode(lease, next);"),
                        Swap.class,
                        ""),
                fails(
                        Mutant.of(
                                "uses a grant that it has only asked for",
                                LeaseKeeper.class,
                                "            CasResult result = coordinator.extend(",
                                "            claim.lease.grant(position(wanted.limit()), claim.lease.endNanos(), claim.nextWindow);\n"
                                        + "            CasResult result = coordinator.extend("),
                        WaitingForSwap.class,
                        "lies outside of"),
                fails(
                        Mutant.of(
                                "lets batches pass the limit",
                                Stripe.class,
                                "Math.min(end(current, next, now), next + (count - filled))",
                                "next + (count - filled)"),
                        UsedUpWindow.class,
                        "lies outside of"),
                fails(
                        Mutant.of(
                                "takes one position less than it puts into a batch",
                                Stripe.class,
                                "current.advance(last, end - 1)",
                                "current.advance(last, Math.max(next, end - 2))"),
                        BatchesBesideSingles.class,
                        ""),
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
                                Stripe.class,
                                "            while (true) {\n                Lease current = lease;\n",
                                "            while (true) {\n                long early = clock.tick();\n"
                                        + "                Lease current = lease;\n",
                                "                long now = clock.tick();\n                long next = Math.max(next(",
                                "                long now = early;\n                long next = Math.max(next("),
                        TimePassing.class,
                        "ClockMovedBackwardsException"),
                fails(
                        Mutant.of(
                                "calls nobody when a turn ends",
                                Turns.class,
                                "taken.set(false);\n        call();",
                                "taken.set(false);"),
                        UsedUpTick.class,
                        "nobody can go on"),
                fails(
                        Mutant.of(
                                "publishes a lease before it is open",
                                LeaseKeeper.class,
                                "        claim.lease.open(position(from), Math.max(allowedTicks, claim.mark.from() - clock.tick()));\n",
                                "",
                                "stripe.publish(claim.lease);\n",
                                "stripe.publish(claim.lease);\n"
                                        + "claim.lease.open(position(from), Math.max(allowedTicks, claim.mark.from() - clock.tick()));\n"),
                        WaitingForSwap.class,
                        "nobody can go on"),
                fails(
                        Mutant.of(
                                "wakes before it publishes",
                                Stripe.class,
                                "lease = next;\n        started = true;\n        waiting.wake();",
                                "waiting.wake(); lease = next; started = true;"),
                        WaitingForSwap.class,
                        "nobody can go on"),
                fails(
                        Mutant.of(
                                "lets those who wait go on waiting when it breaks down",
                                Stripe.class,
                                "|| broken != null,\n",
                                ",\n"),
                        BreakDownWhileWaiting.class,
                        "nobody can go on"),
                fails(
                        Mutant.of(
                                "looks before it asks to be woken",
                                WaitingThreads.class,
                                "        threads.add(self);\n",
                                "",
                                "platform.park(left);",
                                "threads.add(self); platform.park(left);"),
                        WaitingForSwap.class,
                        "nobody can go on"),
                fails(
                        Mutant.of(
                                "lets those who wait go on waiting when it closes", Stripe.class, "|| closed\n", "\n"),
                        CloseWhileWaiting.class,
                        "nobody can go on"),
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
                                Stripe.class,
                                "        long windowTicks = current.windowTicks();\n",
                                "",
                                "ticksLeft > windowTicks / 3",
                                "ticksLeft > current.windowTicks() / 3"),
                        StatusBesideExtension.class,
                        "not ready"),
                fails(
                        Mutant.of(
                                "lets callers read what is the keeper's",
                                Stripe.class,
                                "boolean issuing = last != Lease.SEALED;",
                                "boolean issuing = current.lastIssued() != Lease.SEALED || last != Lease.SEALED;"),
                        StatusBesideSwap.class,
                        "neither volatile nor guarded"),
                fails(
                        Mutant.of(
                                "mixes two leases in a status",
                                Stripe.class,
                                "Optional.of(layout.instantOf(limitTick(current)))",
                                "Optional.of(layout.instantOf(limitTick(lease)))"),
                        StatusBesideSwap.class,
                        "two leases in one status"));
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
