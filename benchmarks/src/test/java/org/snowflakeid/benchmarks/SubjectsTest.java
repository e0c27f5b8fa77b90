// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SubjectsTest {

    private static final int IDS = 10_000;

    @ParameterizedTest
    @MethodSource("all")
    void issuesIncreasingIdsToOneThread(Subject subject) {
        try (Generator generator = subject.open()) {
            long[] ids = LongStream.generate(generator::nextId).limit(IDS).toArray();

            assertThat(ids).isSorted();
            assertThat(Duplicates.repeated(ids)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("compared")
    void timeIsReadFromWhereItStandsInTheId(Subject subject) {
        try (Generator generator = subject.open()) {
            long millis = subject.time().millis(generator.nextId());

            assertThat(millis)
                    .isCloseTo(
                            System.currentTimeMillis(),
                            within(2_000 + subject.time().unitMillis()));
        }
    }

    @ParameterizedTest
    @MethodSource("compared")
    void issuesNothingTwiceToEightThreads(Subject subject) throws Exception {
        assertThat(Duplicates.count(subject, 1)).isZero();
    }

    @ParameterizedTest
    @MethodSource("compared")
    void fewerSequenceBitsLeaveTheTimeWhereItIsFound(Subject subject) {
        for (int bits : new int[] {8, 10}) {
            if (!subject.hasSequenceBits(bits)) {
                assertThatThrownBy(() -> subject.open(bits)).hasMessage(subject.name() + " has 12 sequence bits only");
                continue;
            }
            try (Generator generator = subject.open(bits)) {
                IdTime time = subject.time().withSequenceBits(bits);
                long[] ids = LongStream.generate(generator::nextId).limit(IDS).toArray();

                assertThat(time.millis(ids[IDS - 1])).isCloseTo(System.currentTimeMillis(), within(2_000L));
                // As many in a millisecond as there are sequences, and those late milliseconds that may be used.
                assertThat(time.millis(ids[IDS - 1]) - time.millis(ids[0])).isGreaterThanOrEqualTo((IDS >> bits) - 1);
            }
        }
    }

    /** At once on two free processors; it may take a few attempts beside other work, which makes threads run one by one. */
    @Test
    @Timeout(120)
    void theUnsynchronisedControlIsCaught() throws Exception {
        long caught = 0;
        while (caught == 0) {
            caught = Duplicates.count(Subjects.named("unsynchronised"), 40);
        }

        assertThat(caught).isPositive();
    }

    @Test
    void thoseThatSayTheTrueTimeHaveLayoutsToCompare() {
        assertThat(compared().filter(subject -> subject.hasSequenceBits(10)))
                .extracting(Subject::name)
                .containsExactly("ours", "agrona", "cosid");
    }

    @Test
    void countsEveryRepetition() {
        assertThat(Duplicates.repeated(new long[] {3, 1, 2, 3, 1, 3})).isEqualTo(3);
    }

    @Test
    void theFullestShardIsSeen() {
        assertThat(LowBits.topShare(new int[] {10, 70, 20})).isEqualTo(0.7);
    }

    @Test
    void batchesHaveAsManyIdsAsAskedFor() {
        List<Subject> withBatches = compared().filter(SubjectsTest::hasBatches).toList();

        assertThat(withBatches).extracting(Subject::name).contains("ours", "shardingsphere");
        for (Subject subject : withBatches) {
            try (Generator generator = subject.open()) {
                assertThat(distinct(((Generator.InBatches) generator).nextIds(IDS)))
                        .isEqualTo(IDS);
            }
        }
    }

    /** What is measured makes no array of its own, which would be 8 bytes an id, and leaves alone what it was not asked to fill. */
    @Test
    void oursFillsTheCallersArrayAndMakesNone() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Generator generator = Subjects.named("ours").open()) {
            Generator.IntoArrays batches = (Generator.IntoArrays) generator;
            long[] ids = new long[IDS + 2];
            batches.nextIds(ids, 1, IDS);
            assertThat(ids[0]).isZero();
            assertThat(ids[IDS + 1]).isZero();

            long before = threads.getCurrentThreadAllocatedBytes();
            batches.nextIds(ids, 1, IDS);
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;

            assertThat(LongStream.of(ids).distinct().count()).isEqualTo(IDS + 1);
            // Those who wait for the next millisecond need a few.
            assertThat(bytes).isLessThan(IDS);
        }
    }

    private static boolean hasBatches(Subject subject) {
        try (Generator generator = subject.open()) {
            return generator instanceof Generator.InBatches;
        }
    }

    private static long distinct(Object batch) {
        return batch instanceof long[] ids
                ? LongStream.of(ids).distinct().count()
                : ((Collection<?>) batch).stream().distinct().count();
    }

    static Stream<Subject> all() {
        return Subjects.ALL.stream();
    }

    static Stream<Subject> compared() {
        return all().filter(subject -> !subject.isControl());
    }
}
