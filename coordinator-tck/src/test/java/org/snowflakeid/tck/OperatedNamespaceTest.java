// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LayoutMismatchException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.NamespaceReplacement;
import org.snowflakeid.NamespaceReplacement.Doubt;
import org.snowflakeid.NamespaceReport;
import org.snowflakeid.OperatedNamespace;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testing.MemoryStore.Fault;

/** Restoring and moving a namespace, with generators that issue before, meanwhile and after. */
class OperatedNamespaceTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final ManualPlatform platform = new ManualPlatform().callersMoveTime();
    private final MemoryStore store = new MemoryStore(platform);
    private final MemoryStore elsewhere = new MemoryStore(platform);
    private final Map<String, String> keys = new HashMap<>(Map.of("snowflake.worker-ids", "0-3"));
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<Long> issued = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable closeable : opened) {
            closeable.close();
        }
        assertThat(issued).doesNotHaveDuplicates();
    }

    private SnowflakeSettings settings(String... more) {
        Map<String, String> all = new HashMap<>(keys);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return SnowflakeSettings.of(all);
    }

    private LeasedSnowflake generator(MemoryStore at, String... more) {
        LeasedSnowflake generator = LeasedSnowflake.open(settings(more), at.provider(), platform);
        opened.add(generator);
        return generator;
    }

    private OperatedNamespace namespace(MemoryStore at, String... more) {
        OperatedNamespace namespace = OperatedNamespace.open(settings(more), at.provider(), platform);
        opened.add(namespace);
        return namespace;
    }

    /** The coordinator itself, to write into it what nobody should. */
    private WorkerCoordinator raw(MemoryStore at) {
        return at.provider()
                .open(
                        new CoordinatorConfig(
                                "raw",
                                "snowflake",
                                Duration.ofSeconds(60),
                                settings().toString()::concat),
                        () -> {});
    }

    private void editMark(MemoryStore at, int id, String value) {
        WorkerCoordinator raw = raw(at);
        Stored meta = raw.read(id, id, TIMEOUT).meta();
        Stored mark = raw.read(id, id, TIMEOUT).slots().get(0).mark();
        CasResult result = mark == null
                ? raw.claim(id, null, value, "nobody", false, meta, TIMEOUT)
                : raw.extend(id, mark, value, meta, TIMEOUT);
        assertThat(result).isInstanceOf(CasResult.Applied.class);
    }

    private void editMeta(MemoryStore at, String value) {
        WorkerCoordinator raw = raw(at);
        assertThat(raw.writeMeta(raw.read(0, 0, TIMEOUT).meta(), value, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);
    }

    /** Ids under the clock of the moment, as many as are to be had for so long. */
    private void issue(LeasedSnowflake generator, Duration time) {
        Instant end = platform.now().plus(time);
        while (platform.now().isBefore(end)) {
            issued.add(generator.nextId());
            platform.advance(Duration.ofMillis(100));
        }
    }

    private static Instant time(LeasedSnowflake generator, long id) {
        return generator.layout().decode(id).timestamp();
    }

    private static Instant restore(OperatedNamespace namespace, Doubt... accepted) {
        return namespace.restore().carryOut(Set.of(accepted));
    }

    private void requireStopped(LeasedSnowflake generator) {
        platform.advance(Duration.ofSeconds(20));
        assertThat(generator.status().state()).isEqualTo(State.SUSPENDED);
        assertThatThrownBy(generator::nextId).isInstanceOf(CoordinatorRegressedException.class);
        assertThat(generator.status().lastError()).isPresent();
    }

    @Test
    void restoresAWipedNamespaceAboveEveryWindowThatWasOpen() {
        LeasedSnowflake before = generator(store, "snowflake.worker-ids", "0");
        issue(before, Duration.ofSeconds(70));
        Instant reserved = before.status().reservedUntil().orElseThrow();

        store.wipe("snowflake");
        issue(before, Duration.ofSeconds(2));
        Instant first = restore(namespace(store));
        issue(before, Duration.ofSeconds(1));
        requireStopped(before);

        assertThat(first).isAfter(reserved);
        LeasedSnowflake after = generator(store, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M");
        issue(after, Duration.ofSeconds(2));
        assertThat(time(after, issued.get(issued.size() - 1))).isAfterOrEqualTo(first);
    }

    @Test
    void restoresAnOldBackupInWhichMarksAreLowerOrAbsent() {
        LeasedSnowflake one = generator(store, "snowflake.worker-ids", "0");
        issue(one, Duration.ofSeconds(30));
        MemoryStore.Backup backup = store.backup();
        LeasedSnowflake two = generator(store, "snowflake.worker-ids", "1");
        issue(one, Duration.ofSeconds(60));
        issue(two, Duration.ofSeconds(60));

        store.restore(backup);
        Instant first = restore(namespace(store));
        requireStopped(one);
        requireStopped(two);

        LeasedSnowflake three = generator(store, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M");
        LeasedSnowflake four = generator(store, "snowflake.worker-ids", "1", "snowflake.startup-timeout", "PT10M");
        issue(three, Duration.ofSeconds(90));
        issue(four, Duration.ofSeconds(90));
        assertThat(first).isAfter(platform.now().minus(Duration.ofHours(1)));
    }

    @Test
    void marksThatStandAreCoveredWhateverTheClockSays() {
        LeasedSnowflake ids = generator(store);
        platform.advance(Duration.ofSeconds(40));
        Instant reserved = ids.status().reservedUntil().orElseThrow();
        store.tellsTime(false);
        platform.stepWallClock(Duration.ofMinutes(-30));

        Instant first = restore(namespace(store));

        assertThat(first).isAfter(reserved.plusSeconds(59));
    }

    @Test
    void theGreaterWindowOfRecordAndSettingsCounts() {
        generator(store, "snowflake.window", "PT30M", "snowflake.startup-timeout", "PT1H")
                .close();
        Instant stored = restore(namespace(store));
        Instant configured =
                restore(namespace(elsewhere, "snowflake.window", "PT1H", "snowflake.startup-timeout", "PT2H"));

        assertThat(Duration.between(platform.now(), stored)).isGreaterThan(Duration.ofMinutes(45));
        assertThat(Duration.between(platform.now(), configured)).isGreaterThan(Duration.ofMinutes(90));
        assertThat(store.meta("snowflake")).contains("max-window=PT30M");
        assertThat(elsewhere.meta("snowflake")).contains("max-window=PT1H");
    }

    @Test
    void restoreKeepsTheRecordExceptForIdAndFloorAndNeverLowersTheFloor() {
        generator(store).close();
        editMeta(store, store.meta("snowflake") + " colour=blue");
        String before = store.meta("snowflake");
        Instant first = restore(namespace(store));
        platform.advance(Duration.ofSeconds(1));

        Instant second = restore(namespace(store));

        assertThat(second).isAfter(first);
        assertThat(store.meta("snowflake"))
                .contains("state=active", "colour=blue", "replaces=")
                .doesNotContain(before.substring(0, before.indexOf(' ')) + " ");
        NamespaceReport report = namespace(store).report();
        assertThat(report.state()).isEqualTo(NamespaceReport.State.ACTIVE);
        assertThat(report.floor()).contains(second);
    }

    @Test
    void runningProcessesAreToldThatTheyWereReplaced() {
        LeasedSnowflake before = generator(store);

        restore(namespace(store));

        requireStopped(before);
        assertThatThrownBy(before::nextId)
                .hasMessageContaining("was restored by its operator")
                .hasMessageEndingWith("Restart.");
    }

    @Test
    void lostAnswersAreSettled() {
        generator(store).close();
        NamespaceReplacement restore = namespace(store).restore();
        store.nextCalls(
                Fault.NONE,
                Fault.REPLY_LOST,
                Fault.REFUSED,
                Fault.NONE,
                Fault.NONE,
                Fault.REQUEST_LOST,
                Fault.REPLY_LOST);

        restore.carryOut(Set.of());

        assertThat(store.meta("snowflake")).contains("state=active", "replaces=");
    }

    @Test
    void lateCopiesOfItsWritesChangeNothing() {
        generator(store).close();
        NamespaceReplacement restore = namespace(store).restore();
        store.nextCalls(Fault.NONE, Fault.REQUEST_HELD, Fault.NONE, Fault.NONE, Fault.REQUEST_HELD);
        restore.carryOut(Set.of());
        String meta = store.meta("snowflake");

        store.deliverHeldRequests();

        assertThat(store.meta("snowflake")).isEqualTo(meta);
    }

    @Test
    void interruptedRestoreIsFinishedByAnother() {
        LeasedSnowflake before = generator(store, "snowflake.worker-ids", "0");
        NamespaceReplacement restore = namespace(store).restore();
        assertThat(restore.isBegun()).isFalse();
        store.nextCalls(Fault.NONE, Fault.NONE);
        store.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> restore.carryOut(Set.of())).isInstanceOf(CoordinatorException.class);
        store.reconnect();
        assertThat(restore.isBegun()).isTrue();
        assertThat(store.meta("snowflake")).contains("state=retired");
        assertThatThrownBy(() -> generator(store))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("it is being restored");
        platform.advance(Duration.ofSeconds(20));
        assertThat(before.status().lastError())
                .hasValueSatisfying(e -> assertThat(e).contains("being restored"));
        assertThat(before.status().state()).isEqualTo(State.SUSPENDED);

        restore(namespace(store));

        assertThat(store.meta("snowflake")).contains("state=active");
        issue(generator(store, "snowflake.startup-timeout", "PT10M"), Duration.ofSeconds(1));
    }

    @Test
    void ofTwoOperatorsOneStops() {
        generator(store).close();
        NamespaceReplacement first = namespace(store).restore();
        List<Fault> untilRetired = new ArrayList<>(List.of(Fault.NONE, Fault.NONE));
        OperatedNamespace second = namespace(store);
        boolean[] done = {false};
        store.faults(() -> {
            if (untilRetired.isEmpty() && !done[0]) {
                done[0] = true;
                restore(second);
            } else if (!untilRetired.isEmpty()) {
                return untilRetired.remove(0);
            }
            return Fault.NONE;
        });

        assertThatThrownBy(() -> first.carryOut(Set.of()))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("changed by somebody else");
        assertThat(store.meta("snowflake")).contains("state=active");
    }

    @Test
    void wrongClockIsRefusedBeforeAnythingIsWritten() {
        generator(store).close();
        String before = store.meta("snowflake");
        platform.stepWallClock(Duration.ofSeconds(-15));

        assertThatThrownBy(() -> namespace(store).restore())
                .isInstanceOf(SnowflakeException.class)
                .hasMessageContaining("correct the one that is wrong");
        assertThat(store.meta("snowflake")).isEqualTo(before);
    }

    @Test
    void marksFarAheadKeepTheirWorkerIdsOutOfUseAndNothingElse() {
        LeasedSnowflake ids = generator(store, "snowflake.worker-ids", "0");
        ids.close();
        String mark = store.mark("snowflake", 0);
        String poisoned = mark.replaceAll("limit=\\d+", "limit=900000000000");
        editMark(store, 0, poisoned);
        NamespaceReplacement restore = namespace(store).restore();
        assertThat(restore.doubts()).containsOnlyKeys(Doubt.FAR_AHEAD_MARKS);
        assertThatThrownBy(() -> restore.carryOut(Set.of()))
                .hasMessageContaining("1 worker ids are reserved far ahead, up to 2048");
        assertThat(store.meta("snowflake")).contains("state=active").doesNotContain("replaces=");

        Instant first = restore.carryOut(Set.of(Doubt.FAR_AHEAD_MARKS));

        assertThat(Duration.between(platform.now(), first)).isLessThan(Duration.ofMinutes(5));
        assertThat(store.mark("snowflake", 0)).isEqualTo(poisoned);
        LeasedSnowflake after = generator(store, "snowflake.startup-timeout", "PT10M");
        assertThat(after.status().workerId()).isNotEqualTo(java.util.OptionalInt.of(0));
        assertThatThrownBy(() -> namespace(store).moveTo(namespace(elsewhere)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("2048");
    }

    @Test
    void aLayoutWithMoreLowBitsLeavesMarksFarAheadBehind() {
        generator(store, "snowflake.worker-ids", "0").close();
        String mark = store.mark("snowflake", 0);
        editMark(store, 0, mark.replaceAll("limit=\\d+", "limit=300000000000"));
        OperatedNamespace to = namespace(elsewhere, "snowflake.sequence-bits", "13");

        Instant first = namespace(store).moveTo(to).carryOut(Set.of());

        assertThat(first).isBefore(platform.now().plusSeconds(600));
        LeasedSnowflake after =
                generator(elsewhere, "snowflake.sequence-bits", "13", "snowflake.startup-timeout", "PT1H");
        assertThat(after.nextId()).isGreaterThanOrEqualTo(300_000_000_000L << 22);
    }

    @Test
    void unreadableMarksAreHarmlessInPlaceAndADoubtElsewhere() {
        generator(store, "snowflake.worker-ids", "2").close();
        editMark(store, 2, "garbage");

        restore(namespace(store));

        assertThat(namespace(store).report().workers()).singleElement().satisfies(worker -> {
            assertThat(worker.unreadable()).isTrue();
            assertThat(worker.reservedUntil()).isEmpty();
        });
        NamespaceReplacement move = namespace(store).moveTo(namespace(elsewhere));
        assertThat(move.doubts()).containsOnlyKeys(Doubt.UNREADABLE_MARKS);
        assertThatThrownBy(() -> move.carryOut(Set.of())).hasMessageContaining("worker ids [2] can't be read");
        assertThat(move.isBegun()).isFalse();
        move.carryOut(Set.of(Doubt.UNREADABLE_MARKS));
        assertThat(elsewhere.meta("snowflake")).contains("state=active");
    }

    @Test
    void unreadableRecordIsReplacedOnlyWhenToldTo() {
        LeasedSnowflake ids = generator(store, "snowflake.worker-ids", "0");
        issue(ids, Duration.ofSeconds(15));
        editMeta(store, "rubbish");
        platform.advance(Duration.ofSeconds(20));
        assertThat(ids.status().lastError())
                .hasValueSatisfying(e -> assertThat(e).contains("unreadable record 'rubbish'"));
        assertThatThrownBy(() -> restore(namespace(store))).hasMessageContaining("'rubbish' can't be read");
        assertThat(store.meta("snowflake")).isEqualTo("rubbish");

        restore(namespace(store), Doubt.UNREADABLE_RECORD);

        requireStopped(ids);
        issue(
                generator(store, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M"),
                Duration.ofSeconds(1));
    }

    @Test
    void restoreNeedsTheLayoutOfTheRecord() {
        generator(store, "snowflake.worker-id-bits", "9").close();

        assertThatThrownBy(() -> namespace(store).restore())
                .isInstanceOf(LayoutMismatchException.class)
                .hasMessageContaining("the settings of the application");
        assertThat(namespace(store).report().layout().orElseThrow().workerIdBits())
                .isEqualTo(9);
    }

    @Test
    void staticWorkerIdsHaveNoNamespace() {
        keys.putAll(Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "1"));

        assertThatThrownBy(() -> OperatedNamespace.open(settings()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("keeps nothing");
    }

    @Test
    void movesElsewhereWhileGeneratorsRun() {
        LeasedSnowflake before = generator(store, "snowflake.worker-ids", "0");
        issue(before, Duration.ofSeconds(70));
        Instant reserved = before.status().reservedUntil().orElseThrow();

        Instant first = namespace(store).moveTo(namespace(elsewhere)).carryOut(Set.of());

        issue(before, Duration.ofSeconds(30));
        assertThat(before.status().state()).isEqualTo(State.ACTIVE);
        assertThat(before.status().lastError())
                .hasValueSatisfying(e -> assertThat(e).contains("it moved to memory:snowflake"));
        LeasedSnowflake after = generator(elsewhere, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M");
        issue(after, Duration.ofSeconds(1));
        assertThat(first).isAfter(reserved);
        assertThat(before.status().state()).isEqualTo(State.SUSPENDED);
        assertThatThrownBy(before::nextId)
                .isInstanceOf(SnowflakeUnavailableException.class)
                .hasMessageContaining("moved to memory:snowflake");
        assertThat(namespace(store).report().movedTo()).contains("memory:snowflake");
    }

    @Test
    void movesBackAgain() {
        LeasedSnowflake first = generator(store, "snowflake.worker-ids", "0");
        issue(first, Duration.ofSeconds(5));
        namespace(store).moveTo(namespace(elsewhere)).carryOut(Set.of());
        LeasedSnowflake second =
                generator(elsewhere, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M");
        issue(second, Duration.ofSeconds(5));

        namespace(elsewhere).moveTo(namespace(store)).carryOut(Set.of());

        LeasedSnowflake third = generator(store, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M");
        issue(third, Duration.ofSeconds(5));
        assertThatThrownBy(() -> namespace(elsewhere).restore()).hasMessageContaining("moved to memory:snowflake");
    }

    @Test
    void interruptedMoveIsFinishedByAnotherAndNothingElse() {
        generator(store).close();
        NamespaceReplacement move = namespace(store).moveTo(namespace(elsewhere));
        elsewhere.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(CoordinatorException.class);
        elsewhere.reconnect();
        assertThat(move.isBegun()).isTrue();
        assertThat(elsewhere.meta("snowflake")).isNull();
        assertThatThrownBy(() -> namespace(store).restore()).hasMessageContaining("moved to memory:snowflake");
        assertThatThrownBy(() -> namespace(store).moveTo(namespace(elsewhere, "snowflake.namespace", "other")))
                .hasMessageContaining("moved to memory:snowflake");

        namespace(store).moveTo(namespace(elsewhere)).carryOut(Set.of());

        assertThat(elsewhere.meta("snowflake")).contains("state=active");
        NamespaceReplacement again = namespace(store).moveTo(namespace(elsewhere));
        assertThat(again.isFinished()).isTrue();
        String meta = elsewhere.meta("snowflake");
        again.carryOut(Set.of());
        assertThat(elsewhere.meta("snowflake")).isEqualTo(meta);
    }

    @Test
    void movesOnlyToWhereNobodyIs() {
        generator(store).close();
        generator(elsewhere).close();
        assertThatThrownBy(() -> namespace(store).moveTo(namespace(elsewhere))).hasMessageContaining("is in use");
        assertThatThrownBy(() -> namespace(store).moveTo(namespace(store))).hasMessageContaining("the same record");
        elsewhere.restore(store.backup());
        assertThatThrownBy(() -> namespace(store).moveTo(namespace(elsewhere))).hasMessageContaining("a copy of it");
        assertThatThrownBy(() ->
                        namespace(elsewhere, "snowflake.namespace", "none").moveTo(namespace(store)))
                .hasMessageContaining("has no record");
        assertThat(store.meta("snowflake")).contains("state=active");
    }

    @Test
    void smallerNumbersAreRefused() {
        generator(store).close();

        assertThatThrownBy(() -> namespace(store).moveTo(namespace(elsewhere, "snowflake.sequence-bits", "11")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("more bits of worker id and sequence");
        assertThatThrownBy(
                        () -> namespace(store).moveTo(namespace(elsewhere, "snowflake.epoch", "2024-01-01T00:00:00Z")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("an earlier snowflake.epoch");
        assertThat(store.meta("snowflake")).contains("state=active");
    }

    @Test
    void idsOfAnotherLayoutAreGreaterThanAllBefore() {
        LeasedSnowflake before = generator(store, "snowflake.worker-ids", "0");
        issue(before, Duration.ofSeconds(70));
        String[] layout = {
            "snowflake.epoch", "2019-01-01T00:00:00Z", "snowflake.worker-id-bits", "9",
            "snowflake.sequence-bits", "13", "snowflake.startup-timeout", "PT10M"
        };

        namespace(store).moveTo(namespace(elsewhere, layout)).carryOut(Set.of());

        issue(before, Duration.ofSeconds(20));
        long greatest = issued.get(issued.size() - 1);
        LeasedSnowflake after = generator(elsewhere, layout);
        assertThat(after.nextId()).isGreaterThan(greatest);
    }
}
