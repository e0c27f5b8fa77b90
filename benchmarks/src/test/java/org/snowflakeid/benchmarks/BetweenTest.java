// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.benchmarks.Between.Work;

class BetweenTest {

    private static final IdTime TIME = IdTime.millisSince(0);

    @Test
    void mixesAreReadAsTheyAreWritten() {
        assertThat(Mix.parse("virtual:1000:5:yield:10"))
                .isEqualTo(new Mix(new Crowd(1_000, true, 10), 5, Pause.YIELD))
                .hasToString("virtual:1000:5:yield:10");
        assertThat(Mix.CHOSEN)
                .allSatisfy(mix -> assertThat(Mix.parse(mix.toString())).isEqualTo(mix));
    }

    @Test
    void allStandsForEveryChoice() {
        assertThat(Mix.parseAll("platform:64:20:park:12")).containsExactly(Mix.CHOSEN.get(0));
        assertThat(Mix.parseAll("virtual:all:5:all:12")).hasSize(12).contains(Mix.CHOSEN.get(1), Mix.CHOSEN.get(2));
        assertThat(Mix.parseAll("all")).hasSize(216).doesNotHaveDuplicates().containsAll(Mix.CHOSEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "virtual",
                "virtual:1000:5:yield",
                "virtual:1000:5:yield:12:1",
                "green:1000:5:yield:12",
                "virtual:0:5:yield:12",
                "virtual:1000:-5:yield:12",
                "virtual:1000:5:think:12",
                "virtual:1000:5:yield:13",
                "all:all:all:all:all:all"
            })
    void whatIsNoMixIsRefused(String text) {
        assertThatThrownBy(() -> Mix.parseAll(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not like virtual:1000:5:yield:12");
    }

    @Test
    void theShareIsOfWhatIsWantedOrOfTheCeilingIfThatIsLess() {
        Work got = work(900_000, 1, 0.5);

        assertThat(got.shareOf(work(1_000_000, 1, 0.1), 4_096_000)).isEqualTo(0.9);
        assertThat(got.shareOf(work(7_000_000, 1, 0.1), 1_000_000)).isEqualTo(0.9);
        assertThat(Mix.parse("platform:64:20:park:10").idsPerSecond()).isEqualTo(1_024_000);
    }

    @Test
    void turnsAddUp() {
        Work all = Work.all(List.of(work(1_000_000, 1, 0.2), work(3_000_000, 1, 0.4)));

        assertThat(all.idsPerSecond()).isEqualTo(2_000_000);
        assertThat(all.cpuPerMillion()).isCloseTo(0.15, within(1e-9));
        assertThat(work(1, 1, 0.2).and(work(2, 3, 0.4))).isEqualTo(work(3, 4, 0.6));
    }

    @Test
    void withoutAnyIdItsCpuIsWithoutEnd() {
        Reading begin = new Reading(0, 7, 0);

        assertThat(Work.between(begin, new Reading(1_000_000_000, 7, 1_000_000_000))
                        .cpuPerMillion())
                .isInfinite();
        assertThat(Work.between(begin, new Reading(1_000_000_000, 500_007, 1_000_000_000))
                        .cpuPerMillion())
                .isEqualTo(2);
    }

    private static Work work(long ids, long seconds, double cpuSeconds) {
        return new Work(ids, seconds * 1_000_000_000, Math.round(cpuSeconds * 1e9));
    }

    @Test
    @Timeout(60)
    void callersCountTheirIdsAndBeginTogether() throws Exception {
        try (PausingCallers callers = callers(null, 3)) {
            assertThat(callers.taken()).isZero();
            callers.begin();
            while (callers.taken() < 10_000) {
                Thread.onSpinWait();
            }
            callers.stop();
            assertThat(callers.taken() % 5).isZero();
            assertThat(callers.waits().count()).isZero();
        }
    }

    @Test
    @Timeout(60)
    void callsAreCountedFromTheTimeTheyShallBe() throws Exception {
        AtomicLong ids = new AtomicLong();
        try (PausingCallers callers = callers(ids::incrementAndGet, 3)) {
            callers.begin();
            awaitMore(callers);
            callers.timeCalls();
            awaitMore(callers);
            callers.countCalls();
            awaitMore(callers);
            callers.stop();

            assertThat(callers.taken()).isEqualTo(ids.get());
            assertThat(callers.waits().count()).isBetween(1_000L, ids.get() - 1_000);
            assertThat(callers.counts().getCount()).isEqualTo(3);
            assertThat(callers.counts().getSum()).isEqualTo(callers.waits().count());
            // Ids from 1 on are of the year 1970.
            assertThat(callers.drift().isFar()).isTrue();
        }
    }

    @Test
    @Timeout(60)
    void aCallThatBeganBeforeAndEndsAfterIsCounted() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        AtomicLong ids = new AtomicLong();
        try (PausingCallers callers = callers(
                () -> {
                    called.countDown();
                    await(answered);
                    return ids.incrementAndGet();
                },
                1)) {
            callers.begin();
            called.await();
            callers.timeCalls();
            callers.countCalls();
            callers.end();
            answered.countDown();
            callers.stop();

            assertThat(callers.waits().count()).isEqualTo(ids.get()).isEqualTo(5);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Timeout(60)
    void whatACallThrewIsTold() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        try (PausingCallers callers = callers(
                () -> {
                    called.countDown();
                    throw new IllegalStateException("no id today");
                },
                2)) {
            callers.begin();
            called.await();

            assertThatThrownBy(callers::stop).hasMessageContaining("no id today");
        }
    }

    @Test
    void mixesAreFoundByTheFiguresNames() {
        Measured measured = Measured.read(
                Subjects.named("ours"),
                List.of(
                        "figure between-virtual:8:1:spin:12.share 1.0 1.0 1.0 0.0",
                        "figure between-virtual:8:1:spin:12.cpu 1.0 1.0 1.0 0.0",
                        "figure busy-30-between-platform:8:1:park:8.share NaN NaN NaN 1.0"));

        assertThat(Between.mixes("", List.of(measured, measured))).containsExactly(Mix.parse("virtual:8:1:spin:12"));
        assertThat(Between.mixes("busy-30-", List.of(measured))).containsExactly(Mix.parse("platform:8:1:park:8"));
    }

    @Test
    void leavesFiguresOfTheMixesThatTheSubjectHas() throws Exception {
        Figures figures = new Figures();

        Column.BETWEEN_BUSY_30.measure(
                Subjects.named("hutool"),
                new Windows(Windows.KEPT, Windows.KEPT),
                List.of(Mix.parse("platform:4:1:park:12"), Mix.parse("platform:4:1:park:10")),
                figures);

        assertThat(figures.names())
                .containsExactlyElementsOf(
                        Stream.of("wanted", "share", "cpu", "p99.9", "longest", "max-ahead", "end-ahead")
                                .map(name -> "busy-30-between-platform:4:1:park:12." + name)
                                .toList());
        assertThat(figures.get("busy-30-between-platform:4:1:park:12.share"))
                .hasValueSatisfying(share -> assertThat(share.value()).isPositive());
    }

    private static void awaitMore(PausingCallers callers) {
        long before = callers.taken();
        while (callers.taken() < before + 10_000) {
            Thread.onSpinWait();
        }
    }

    private static PausingCallers callers(@Nullable Generator generator, int threads) throws Exception {
        return new PausingCallers(generator, TIME, new Crowd(threads, false, 12), 5, caller -> Pause.YIELD::make);
    }
}
