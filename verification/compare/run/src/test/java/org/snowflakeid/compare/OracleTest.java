// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.chaos.Recorder;

class OracleTest {
    private final long began = System.nanoTime();
    private final List<Life> lives = new ArrayList<>();

    @TempDir
    private Path directory;

    /** What a process wrote down: an id a millisecond, unless said otherwise. */
    private final class Writer implements AutoCloseable {
        private final Chapter chapter;
        private final Path path;
        private final Recorder recorder;
        private final List<Life.Pause> pauses = new ArrayList<>();
        private long nanos;

        Writer(Chapter chapter, String name) {
            this.chapter = chapter;
            this.path = directory.resolve(name + ".ids");
            this.recorder = new Recorder(path);
            this.nanos = System.nanoTime();
        }

        /** Writers of one time, however long it took to open them. */
        Writer from(long start) {
            nanos = start;
            return this;
        }

        Writer ids(long... ids) {
            for (long id : ids) {
                long called = nanos;
                nanos += 1_000_000;
                recorder.add(id, called, nanos);
            }
            return this;
        }

        Writer silent(Duration time) {
            nanos += time.toNanos();
            return this;
        }

        Writer paused(Duration time) {
            pauses.add(new Life.Pause(nanos, nanos + time.toNanos()));
            return silent(time);
        }

        @Override
        public void close() {
            recorder.close();
            lives.add(new Life(chapter, path, path.resolveSibling("unused"), nanos, pauses));
        }
    }

    private Findings.Figures found(Chapter chapter) {
        return Oracle.examine(lives, new Subject.WorkerIds(8, 4)).of(chapter);
    }

    @Test
    void findsNothingWhereNothingIs() {
        try (Writer a = new Writer(Chapter.CALM, "a");
                Writer b = new Writer(Chapter.CALM, "b")) {
            a.ids(10, 11, 12, 20);
            b.ids(13, 14, 21);
        }
        Findings.Figures figures = found(Chapter.CALM);
        assertThat(figures.ids).isEqualTo(7);
        assertThat(figures.duplicates).isZero();
        assertThat(figures.disorder).isZero();
        assertThat(figures.startsWithoutIds).isZero();
        assertThat(figures.longestGapNanos).isLessThan(Duration.ofMillis(2).toNanos());
    }

    @Test
    void countsWhatTwoProcessesBothGot() {
        try (Writer a = new Writer(Chapter.CALM, "a");
                Writer b = new Writer(Chapter.CALM, "b")) {
            a.ids(10, 11, 12, 13, 14, 100);
            b.ids(12, 13, 50, 51, 100);
        }
        assertThat(found(Chapter.CALM).duplicates).isEqualTo(3);
        assertThat(Oracle.examine(lives, new Subject.WorkerIds(8, 4)).details())
                .isNotEmpty()
                .allMatch(detail -> detail.contains("by "));
    }

    @Test
    void countsWhatOneProcessGotTwice() {
        try (Writer a = new Writer(Chapter.CLOCKS, "a")) {
            a.ids(10, 11, 12, 11, 12, 13);
        }
        Findings.Figures figures = found(Chapter.CLOCKS);
        assertThat(figures.duplicates).isEqualTo(2);
        assertThat(figures.disorder).isOne();
    }

    @Test
    void countsADuplicateWhereTheSecondWasIssued() {
        try (Writer a = new Writer(Chapter.CALM, "a")) {
            a.ids(10, 11);
        }
        try (Writer b = new Writer(Chapter.WIPED, "b")) {
            b.silent(Duration.ofSeconds(10)).ids(11, 12);
        }
        assertThat(found(Chapter.CALM).duplicates).isZero();
        assertThat(found(Chapter.WIPED).duplicates).isOne();
    }

    @Test
    void seesALowerId() {
        try (Writer a = new Writer(Chapter.CALM, "a")) {
            a.ids(10, 5, 6, 30, 7);
        }
        Findings.Figures figures = found(Chapter.CALM);
        assertThat(figures.disorder).isEqualTo(2);
        assertThat(figures.duplicates).isZero();
    }

    @Test
    void seesATimeWithoutIdsButNotAPause() {
        try (Writer a = new Writer(Chapter.PAUSES, "a")) {
            a.ids(10)
                    .paused(Duration.ofSeconds(20))
                    .silent(Duration.ofSeconds(3))
                    .ids(20);
        }
        try (Writer b = new Writer(Chapter.FROZEN, "b")) {
            b.ids(30).silent(Duration.ofSeconds(7));
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(found(Chapter.PAUSES).longestGapNanos))
                .isBetween(3_000L, 3_100L);
        assertThat(TimeUnit.NANOSECONDS.toMillis(found(Chapter.FROZEN).longestGapNanos))
                .as("until it ends")
                .isBetween(7_000L, 7_100L);
    }

    @Test
    void seesAWorkerIdThatTwoUseAtTheSameTime() {
        long workerId3 = 3 << 8;
        try (Writer a = new Writer(Chapter.TWINS, "a");
                Writer b = new Writer(Chapter.TWINS, "b")) {
            long start = System.nanoTime();
            a.from(start).ids(workerId3 + 1).silent(Duration.ofSeconds(4)).ids(workerId3 + 2);
            b.from(start)
                    .silent(Duration.ofSeconds(1))
                    .ids(workerId3 + 10)
                    .silent(Duration.ofSeconds(9))
                    .ids(workerId3 + 11);
        }
        try (Writer c = new Writer(Chapter.CALM, "c");
                Writer d = new Writer(Chapter.CALM, "d")) {
            long start = System.nanoTime();
            c.from(start)
                    .silent(Duration.ofMinutes(1))
                    .ids(workerId3 + 20)
                    .silent(Duration.ofSeconds(1))
                    .ids(workerId3 + 21);
            d.from(start)
                    .silent(Duration.ofMinutes(1))
                    .ids(21)
                    .silent(Duration.ofSeconds(1))
                    .ids(22);
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(found(Chapter.TWINS).sharedNanos))
                .isBetween(2_900L, 3_100L);
        assertThat(found(Chapter.CALM).sharedNanos).isZero();
    }

    @Test
    void tellsAStartFromAGap() {
        try (Writer a = new Writer(Chapter.CALM, "a");
                Writer never = new Writer(Chapter.CALM, "never")) {
            a.silent(Duration.ofSeconds(4)).ids(10, 11);
            never.silent(Duration.ofSeconds(9));
        }
        Findings.Figures figures = found(Chapter.CALM);
        assertThat(TimeUnit.NANOSECONDS.toMillis(figures.slowestStartNanos))
                .isGreaterThanOrEqualTo(4_000L)
                .isLessThan(5_000L + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        assertThat(figures.longestGapNanos).isLessThan(Duration.ofMillis(2).toNanos());
        assertThat(figures.startsWithoutIds).isOne();
    }
}
