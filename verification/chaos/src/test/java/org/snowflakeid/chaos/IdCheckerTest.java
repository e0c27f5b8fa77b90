// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeLayout;

/** A checker that can't fail proves nothing: what it is fed here must be found, and nothing else. */
class IdCheckerTest {
    private static final SnowflakeLayout LAYOUT = SnowflakeLayout.STANDARD;

    @TempDir
    private Path directory;

    private final SteppedPlatform clock = new SteppedPlatform();
    private final long wall = System.currentTimeMillis();
    private final long now = System.nanoTime();

    /** An id of this moment, so that it is not ahead of its time. */
    private final long base =
            LAYOUT.encode(new IdParts(Instant.ofEpochMilli(System.currentTimeMillis() - 100), 3, 100));

    private Recorder recorder(String name, int worker) {
        return new Recorder(directory.resolve(name + ".ids"), worker, 0, 5_000, clock);
    }

    private static long[] ids(long first, int count) {
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = first + i;
        }
        return ids;
    }

    /** The n-th call of a thread, a millisecond after the one before. */
    private void call(Recorder recorder, int n, long first, int count) {
        recorder.add(ids(first, count), now + n * 10_000_000L, now + n * 10_000_000L + 1_000_000);
    }

    private IdChecker.Findings check() {
        return new IdChecker(LAYOUT, 0, 4).check(directory, now);
    }

    @Test
    void findsNothingInWhatIsRightAndCountsIt() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder other = recorder("w01-p0001-g0000.t0", 1)) {
            call(one, 0, base, 1000);
            call(other, 1, base + 1000, 500);
            call(one, 2, base + 1500, 1);
        }

        IdChecker.Findings findings = check();

        assertThat(findings.violations()).isZero();
        assertThat(findings.ids()).isEqualTo(1501);
        assertThat(findings.runs()).isEqualTo(3);
        assertThat(findings.idsOfWorkers()).containsEntry(0, 1001L).containsEntry(1, 500L);
    }

    @Test
    void findsRunsOfTwoProcessesThatOverlapByOne() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder other = recorder("w01-p0001-g0000.t0", 1)) {
            call(one, 0, base, 1000);
            call(other, 1, base + 999, 500);
        }

        IdChecker.Findings findings = check();

        assertThat(findings.duplicates()).isEqualTo(1);
        assertThat(findings.details())
                .singleElement()
                .asString()
                .contains("1 ids twice", "w00-p0001-g0000.t0.ids", "w01-p0001-g0000.t0.ids", "worker id 3");
    }

    @Test
    void findsOneIdInTwoProcesses() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder other = recorder("w01-p0001-g0000.t0", 1)) {
            call(one, 0, base, 1000);
            call(one, 2, base + 3000, 10);
            call(other, 1, base + 500, 1);
        }

        assertThat(check().duplicates()).isEqualTo(1);
    }

    @Test
    void findsAWholeRunInsideALongerOneThatBeganBeforeAThird() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder other = recorder("w01-p0001-g0000.t0", 1);
                Recorder third = recorder("w02-p0001-g0000.t0", 2)) {
            call(one, 0, base, 1000);
            call(other, 1, base + 100, 10);
            call(third, 2, base + 900, 50);
        }

        assertThat(check().duplicates()).isEqualTo(60);
    }

    @Test
    void findsIdsOfAThreadThatDecreaseAndTheirDuplicatesElsewhere() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder other = recorder("w01-p0001-g0000.t0", 1)) {
            call(one, 0, base + 1000, 10);
            call(one, 1, base, 10);
            call(one, 2, base + 2000, 10);
            call(other, 3, base + 5, 2);
        }

        IdChecker.Findings findings = check();

        assertThat(findings.orderViolations()).isEqualTo(1);
        assertThat(findings.duplicates()).isEqualTo(2);
    }

    @Test
    void findsTheSameIdTwiceInARow() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0)) {
            call(one, 0, base, 1);
            call(one, 1, base, 1);
        }

        IdChecker.Findings findings = check();

        assertThat(findings.orderViolations()).isEqualTo(1);
        assertThat(findings.duplicates()).isEqualTo(1);
    }

    @Test
    void findsAnIdBelowOneThatAnotherThreadOfTheGeneratorHadReturnedBefore() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder other = recorder("w00-p0001-g0000.t1", 0)) {
            call(one, 0, base + 1000, 10);
            call(other, 1, base, 10);
        }

        assertThat(check().orderViolations()).isEqualTo(1);
    }

    @Test
    void allowsAnyOrderBetweenCallsAtTheSameTimeAndBetweenGenerators() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder other = recorder("w00-p0001-g0000.t1", 0);
                Recorder later = recorder("w00-p0001-g0001.t0", 0)) {
            one.add(ids(base + 1000, 10), now, now + 5_000_000);
            other.add(ids(base + 500, 10), now + 4_000_000, now + 6_000_000);
            later.add(ids(base, 10), now + 9_000_000, now + 9_500_000);
        }

        assertThat(check().violations()).isZero();
    }

    @Test
    void findsWorkerIdsOutOfRange() {
        long foreign = LAYOUT.encode(new IdParts(Instant.ofEpochMilli(System.currentTimeMillis() - 100), 5, 0));
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0)) {
            call(one, 0, foreign, 1);
        }

        assertThat(check().rangeViolations()).isEqualTo(1);
    }

    @Test
    void findsIdsAheadOfTheTrueTimeAndAllowsMoreWhileTheClockIsWrong() {
        Instant ahead = Instant.ofEpochMilli(wall + 1_000);
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0)) {
            call(one, 0, LAYOUT.encode(new IdParts(ahead, 3, 0)), 1);
            clock.setWrongBy(3_000);
            call(one, 1, LAYOUT.encode(new IdParts(ahead, 3, 1)), 1);
            call(one, 2, LAYOUT.encode(new IdParts(ahead.plusSeconds(9), 3, 1)), 1);
        }

        IdChecker.Findings findings = check();

        assertThat(findings.aheadViolations()).isEqualTo(2);
        assertThat(findings.mostAheadMillis()).isBetween(500L, 1_001L);
    }

    @Test
    void seesHowLongAWorkerGotNothing() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0);
                Recorder again = recorder("w00-p0002-g0000.t0", 0)) {
            call(one, 0, base, 1);
            call(again, 300, base + 1, 1);
        }

        assertThat(check().gaps().get(0)).singleElement().satisfies(gap -> assertThat(gap.nanos())
                .isEqualTo(3_000_000_000L));
    }

    /** What a kill leaves: a file that was not closed, with the rest of a record that was being written. */
    @Test
    void readsWhatAKilledProcessLeft() throws IOException {
        Recorder killed = recorder("w00-p0001-g0000.t0", 0);
        for (int n = 0; n < 20_000; n++) {
            call(killed, n, base + 4096L * n, 10);
        }
        Path file = directory.resolve("w00-p0001-g0000.t0.ids");
        byte[] content = Files.readAllBytes(file);
        killed.close();
        int end = 0;
        while (ByteBuffer.wrap(content).getLong(end + 8) != 0) {
            end += 32;
        }
        assertThat(content.length).isGreaterThan(end + 32);
        content[end + 3] = 17;
        Files.write(file, content);

        IdChecker.Findings findings = check();

        assertThat(findings.ids()).isEqualTo(200_000);
        assertThat(findings.duplicates()).isZero();
        assertThat(findings.orderViolations()).isZero();
    }

    @Test
    void writesOneRunForABatchAndForIdsInARow() {
        try (Recorder one = recorder("w00-p0001-g0000.t0", 0)) {
            one.add(ids(base, 3000), now, now + 50_000_000);
            one.add(base + 3000, now + 60_000_000, now + 60_001_000);
            one.add(base + 3001, now + 60_002_000, now + 60_003_000);
            one.add(base + 3003, now + 60_004_000, now + 60_005_000);
        }

        IdChecker.Findings findings = check();

        assertThat(findings.ids()).isEqualTo(3003);
        assertThat(findings.runs()).isEqualTo(3);
    }
}
