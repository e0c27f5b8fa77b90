// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.operator.audit.AuditedColumn.Form;
import org.snowflakeid.operator.audit.Finding.Result;

/** Each fault is planted in ids that are sound otherwise, and only its own finding tells of it. */
class AuditTest {

    private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");
    private static final Instant START = NOW.minus(Duration.ofDays(10));
    private static final IdLayout OURS = IdLayout.parse("snowflake");

    /** Ids and in how many rows each is. */
    private final TreeMap<Long, Long> table = new TreeMap<>();

    private final Random random = new Random(7);

    private static AuditedColumn column(String type, int digits, boolean unique) {
        return new AuditedColumn(
                "public.orders",
                "id",
                "orders",
                "id",
                Form.LONG,
                type,
                digits,
                false,
                unique,
                null,
                true,
                false,
                false,
                0);
    }

    private static long id(Instant at, int workerId, int sequence) {
        return (Duration.between(OURS.epoch(), at).toMillis() << 22) | ((long) workerId << 12) | sequence;
    }

    private void row(long id) {
        table.merge(id, 1L, Long::sum);
    }

    /** Of worker ids 0 to 3, a second apart; the sequence of each is anywhere. */
    private void soundIds(int count) {
        for (int i = 0; i < count; i++) {
            row(id(START.plusSeconds(i), i % 4, random.nextInt(4096)));
        }
    }

    private Audit audit(AuditedColumn column, IdLayout layout) {
        Audit audit = new Audit(column, layout, InstantSource.fixed(NOW));
        table.forEach(audit::see);
        return audit;
    }

    private Audit audit() {
        return audit(column("bigint", 19, false), OURS);
    }

    private static Finding finding(Audit audit, String name) {
        return audit.findings().stream()
                .filter(finding -> finding.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> notPassed(Audit audit) {
        List<String> names = new ArrayList<>();
        audit.findings().stream()
                .filter(finding -> finding.result() != Result.PASSED)
                // So are all snowflakes.
                .filter(finding -> !finding.name().equals("javascript"))
                .forEach(finding -> names.add(finding.name()));
        return names;
    }

    @Test
    void soundIdsPassAllChecks() {
        soundIds(20_000);

        Audit audit = audit();

        assertThat(notPassed(audit)).isEmpty();
        assertThat(audit.rows()).isEqualTo(20_000);
        assertThat(audit.days().workerIds()).isEqualTo(4);
        assertThat(audit.findings())
                .extracting(Finding::name)
                .doesNotHaveDuplicates()
                .hasSize(8);
    }

    @Test
    void idsInSeveralRowsAreFoundAndSoIsTheirWorkerId() {
        soundIds(2_000);
        long twice = table.firstKey();
        row(twice);
        long thrice = table.lastKey();
        row(thrice);
        row(thrice);

        Audit audit = audit();

        assertThat(notPassed(audit)).containsExactly("duplicates", "shared-worker-ids");
        assertThat(finding(audit, "duplicates").count()).isEqualTo(2);
        assertThat(finding(audit, "duplicates").examples()).containsExactly(twice, thrice);
        assertThat(finding(audit, "duplicates").text()).startsWith("2 ids in several rows, 5 rows in all: " + twice);
        assertThat(finding(audit, "shared-worker-ids").text())
                .contains("2026-11-17 worker id 0 (1 id in several rows)");
    }

    @Test
    void aUniqueKeyIsSaidToHaveForbiddenThem() {
        soundIds(10);

        assertThat(finding(audit(column("bigint", 19, true), OURS), "duplicates")
                        .text())
                .contains("a unique key forbids it", "failed at its second insert");
    }

    @Test
    void negativeIdsAreFoundAndNotTakenApart() {
        soundIds(2_000);
        row(-5);
        row(-5);
        row(Long.MIN_VALUE);

        Audit audit = audit();

        assertThat(notPassed(audit)).containsExactly("duplicates", "negative");
        assertThat(finding(audit, "negative").count()).isEqualTo(3);
        assertThat(finding(audit, "negative").examples()).containsExactly(Long.MIN_VALUE, -5L);
        assertThat(audit.days().all()).hasSize(1);
    }

    @Test
    void idsAheadOfNowAreFoundButForTheDifferenceOfTwoClocks() {
        soundIds(2_000);
        row(id(NOW.plusSeconds(10), 1, 17));
        long ahead = id(NOW.plusMillis(10_001), 1, 17);
        row(ahead);
        row(id(NOW.plus(Duration.ofHours(2)), 1, 30));

        Audit audit = audit();

        assertThat(notPassed(audit)).containsExactly("ahead");
        assertThat(finding(audit, "ahead").count()).isEqualTo(2);
        assertThat(finding(audit, "ahead").text()).contains("up to 2026-11-27T14:00:00Z", Long.toString(ahead));
    }

    // ---- two processes with one worker id

    /** As CosId has it: a sequence that goes on from one millisecond to the next. */
    private void goingOn(int workerId, int processes, int count) {
        int[] sequence = {100, 2_900};
        for (int i = 0; i < count; i++) {
            int process = i % processes;
            row(id(START.plusMillis(20L * i), workerId, sequence[process]++ & 4_095));
        }
    }

    @Test
    void twoSequencesThatTakeTurnsAreFound() {
        goingOn(5, 1, 5_000);
        goingOn(6, 2, 5_000);

        Audit audit = audit();

        assertThat(notPassed(audit)).containsExactly("shared-worker-ids");
        assertThat(finding(audit, "shared-worker-ids").count()).isEqualTo(1);
        assertThat(finding(audit, "shared-worker-ids").text())
                .contains("2026-11-17 worker id 6 (two sequences that took turns 4,");
    }

    /** As tsid-creator has it: each millisecond begins anywhere. Each process makes two ids in most milliseconds. */
    private void anywhere(int workerId, int processes, int count) {
        for (int i = 0; i < count; i++) {
            for (int process = 0; process < processes; process++) {
                int first = random.nextInt(4_090);
                for (int k = 0; k < 3; k++) {
                    row(id(START.plusMillis(i), workerId, first + k));
                }
            }
        }
    }

    @Test
    void distantRunsOfSequenceNumbersInOneMillisecondAreFound() {
        anywhere(5, 1, 2_000);
        anywhere(6, 2, 200);

        Audit audit = audit();

        assertThat(finding(audit, "shared-worker-ids").text())
                .contains("worker id 6 (")
                .doesNotContain("worker id 5 (");
        assertThat(finding(audit, "shared-worker-ids").text()).contains("two distant runs of sequence numbers in 1");
    }

    /** Other tables get some of the ids; each millisecond begins at 0, or below 100 as in Leaf. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void oneProcessWhoseIdsGoToSeveralTablesIsNotTakenForTwo(int firstNumbers) {
        for (int i = 0; i < 100_000; i++) {
            int sequence = random.nextInt(firstNumbers);
            for (int k = random.nextInt(8); k >= 0; k--) {
                if (random.nextInt(3) > 0) {
                    row(id(START.plusMillis(i), 9, sequence));
                }
                sequence++;
            }
        }

        assertThat(finding(audit(), "shared-worker-ids").result()).isEqualTo(Result.PASSED);
    }

    /** Of the few ids of a millisecond, this table gets one. */
    @Test
    void firstNumbersThatGoOnByChanceAreNotTakenForTwoSequences() {
        for (int i = 0; i < 10_000; i++) {
            row(id(START.plusMillis(i), 9, random.nextInt(3)));
        }

        assertThat(finding(audit(), "shared-worker-ids").result()).isEqualTo(Result.PASSED);
    }

    @Test
    void wordsAdmitWhatCanNotBeSeen() {
        soundIds(10);

        assertThat(finding(audit(), "shared-worker-ids").text()).contains("begin each millisecond at 0");
        assertThat(finding(audit(column("bigint", 19, false), IdLayout.parse("yitter")), "shared-worker-ids")
                        .text())
                .contains("with this layout they show only as duplicates");
    }

    // ---- others

    @Test
    void numbersOfASequenceBeforeTheFirstIdAreAJumpInTime() {
        soundIds(2_000);
        long first = table.firstKey();
        for (long number = 1; number <= 1_000; number++) {
            row(number);
        }

        Audit audit = audit();

        assertThat(notPassed(audit)).contains("jumps");
        assertThat(finding(audit, "jumps").count()).isEqualTo(1);
        assertThat(finding(audit, "jumps").text())
                .contains("from 2020-01-01 to 2026-11-17, with 1,000 rows before it, at id " + first);
    }

    @Test
    void aQuietMonthIsNoJump() {
        soundIds(2_000);
        row(id(START.minus(Duration.ofDays(100)), 1, 77));

        assertThat(notPassed(audit())).isEmpty();
    }

    @Test
    void remaindersThatAreUnevenAreFound() {
        for (int i = 0; i < 5_000; i++) {
            row(id(START.plusSeconds(i), i % 4, 0));
        }

        Audit audit = audit();

        assertThat(notPassed(audit)).containsExactly("skew");
        assertThat(finding(audit, "skew").count()).isEqualTo(3);
        assertThat(finding(audit, "skew").text())
                .contains("mod 2: 100.0 % have 0 (even: 50.0 %)", "mod 8: 100.0 %", "mod 32: 100.0 % have 0");
        assertThat(audit.skew().rows(2)).containsExactly(5_000, 0);
    }

    @Test
    void fewRowsAreUnevenByChance() {
        soundIds(40);

        assertThat(notPassed(audit())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 18})
    void aColumnThatIsTooSmallIsFound(int digits) {
        row(id(START, 1, 1));

        Audit audit = audit(column("integer", digits, true), OURS);

        assertThat(notPassed(audit)).containsExactly("column");
        assertThat(finding(audit, "column").text()).contains("integer", "Make it BIGINT");
    }

    @Test
    void idsThatJavaScriptRoundsAreNoted() {
        row((1L << 53) - 1);
        row(1L << 53);

        Finding finding = finding(audit(), "javascript");

        assertThat(finding.result()).isEqualTo(Result.NOTE);
        assertThat(finding.examples()).containsExactly(1L << 53);
    }

    @Test
    void anEmptyTableHasOnlyAColumn() {
        assertThat(audit().findings()).extracting(Finding::name).containsExactly("column");
    }

    @Test
    void whatIsKeptIsBounded() {
        Audit audit = new Audit(column("bigint", 19, false), OURS, InstantSource.fixed(NOW), 1_000);
        for (int i = 0; i < 100_000; i++) {
            audit.see(random.nextLong() >>> 1, 1);
        }

        assertThat(audit.days().all().stream()
                        .mapToInt(day -> day.workers.size())
                        .sum())
                .isEqualTo(1_000);
        assertThat(audit.days().rowsNotKept()).isBetween(98_000L, 99_000L);
        assertThat(audit.rows()).isEqualTo(100_000);
    }

    /** A large fleet has so many days and worker ids after some years. The newest ones come last. */
    @Test
    void whatWasNotKeptHasNotPassed() {
        Audit audit = new Audit(column("bigint", 19, false), OURS, InstantSource.fixed(NOW), 4);
        soundIds(20);
        table.forEach(audit::see);
        table.clear();
        goingOn(6, 2, 5_000);
        table.forEach(audit::see);

        assertThat(notPassed(audit)).containsExactly("shared-worker-ids", "jumps");
        assertThat(finding(audit, "shared-worker-ids").result()).isEqualTo(Result.NOTE);
        assertThat(finding(audit, "shared-worker-ids").count()).isEqualTo(5_000);
        assertThat(finding(audit, "shared-worker-ids").text()).contains("Not looked at for this: 5,000 rows");
    }

    @Test
    void workerIdsAreShownAsRanges() {
        assertThat(AuditText.ranges(List.of(0, 1, 2, 7, 9, 10))).isEqualTo("0-2, 7, 9-10");
        assertThat(AuditText.ranges(List.of(4))).isEqualTo("4");
        List<Integer> even = new ArrayList<>();
        for (int i = 0; i < 40; i += 2) {
            even.add(i);
        }
        assertThat(AuditText.ranges(even)).isEqualTo("0, 2, 4, 6, 8, 10, 12, 14, …");
    }

    // ---- hints and progress

    @Test
    void theLayoutThatMakesTheNewestIdRecentIsHintedAt() {
        long twitter = (Duration.between(IdLayout.parse("twitter").epoch(), NOW.minusSeconds(60))
                        .toMillis()
                << 22);

        assertThat(LayoutHint.of(twitter, OURS, NOW))
                .containsExactly(
                        "By the layout of twitter, leaf, hutool the largest id would be of 2026-11-27T11:59:00Z,"
                                + " which is recent. Try --layout twitter.");
        assertThat(LayoutHint.of(id(NOW.minusSeconds(60), 1, 1), OURS, NOW)).isEmpty();
    }

    @Test
    void progressIsSaidEveryFewSeconds() {
        List<String> said = new ArrayList<>();
        long[] now = {0};
        Progress progress = new Progress(40_000, () -> now[0], said::add);

        for (int i = 0; i < 10_240; i++) {
            now[0] += 1_000_000;
            progress.see(i, 1);
        }

        assertThat(said)
                .containsExactly(
                        "[#...................] about 7 %, 3,073 rows in 3 s, at id 3072",
                        "[###.................] about 15 %, 6,145 rows in 6 s, at id 6144",
                        "[####................] about 23 %, 9,217 rows in 9 s, at id 9216");
    }
}
