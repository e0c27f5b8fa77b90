// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.administration.NamespaceMove;
import org.snowflakeid.administration.NamespaceMove.Stage;
import org.snowflakeid.administration.NamespaceRefusedException;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceRestore;
import org.snowflakeid.administration.NamespaceUnfinishedException;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testing.MemoryStore.Fault;

/** Restoring and moving a namespace, with generators that issue before, meanwhile and after. */
class NamespaceAdministrationTest {

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

    private NamespaceAdministration namespace(MemoryStore at, String... more) {
        NamespaceAdministration namespace = NamespaceAdministration.open(settings(more), at.provider(), platform);
        opened.add(namespace);
        return namespace;
    }

    /** The coordinator itself, to write into it what must not be written. */
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
                ? raw.claim(id, null, value, "none", false, meta, TIMEOUT)
                : raw.extend(id, mark, value, "none", meta, TIMEOUT);
        assertThat(result).isInstanceOf(CasResult.Applied.class);
    }

    private void editMeta(MemoryStore at, String value) {
        WorkerCoordinator raw = raw(at);
        assertThat(raw.writeMeta(raw.read(0, 0, TIMEOUT).meta(), value, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);
    }

    /** Takes ids by the present clock, all that there are in so long a time. */
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

    private static void requireRefused(Reason reason, ThrowingCallable action, String message) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(NamespaceRefusedException.class, refused -> assertThat(refused.reason())
                        .isEqualTo(reason))
                .hasMessageContaining(message);
    }

    private static Instant restore(NamespaceAdministration namespace, NamespaceDoubt... accepted) {
        return namespace.prepareRestore().carryOut(Set.of(accepted));
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
        requireRefused(Reason.DOUBT, () -> restore(namespace(store)), "There is no record.");
        Instant first = restore(namespace(store), NamespaceDoubt.LOST_RECORD);
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
        Instant configured = restore(
                namespace(elsewhere, "snowflake.window", "PT1H", "snowflake.startup-timeout", "PT2H"),
                NamespaceDoubt.LOST_RECORD);

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
        assertThat(report.state()).isEqualTo(NamespaceState.ACTIVE);
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
        NamespaceRestore restore = namespace(store).prepareRestore();
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
        NamespaceRestore restore = namespace(store).prepareRestore();
        store.nextCalls(Fault.NONE, Fault.REQUEST_HELD, Fault.NONE, Fault.NONE, Fault.REQUEST_HELD);
        restore.carryOut(Set.of());
        String meta = store.meta("snowflake");

        store.deliverHeldRequests();

        assertThat(store.meta("snowflake")).isEqualTo(meta);
    }

    @Test
    void interruptedRestoreIsFinishedByAnother() {
        LeasedSnowflake before = generator(store, "snowflake.worker-ids", "0");
        NamespaceRestore restore = namespace(store).prepareRestore();
        store.nextCalls(Fault.NONE, Fault.NONE);
        store.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> restore.carryOut(Set.of()))
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasCauseInstanceOf(CoordinatorException.class)
                .hasMessageEndingWith("Do the same again.");
        store.reconnect();
        assertThat(namespace(store).report().state()).isEqualTo(NamespaceState.RESTORING);
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

    private NamespaceAdministration mistaken(MemoryStore at) {
        return mistaken(at, () -> {
            throw new IllegalStateException("the answer was lost");
        });
    }

    /** Each write of a record is carried out, and its call ends with a mistake of some library. */
    private NamespaceAdministration mistaken(MemoryStore at, Runnable mistake) {
        WorkerCoordinatorProvider provider = new WorkerCoordinatorProvider() {
            @Override
            public String name() {
                return "mistaken";
            }

            @Override
            public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                return new ForwardingCoordinator(at.provider().open(config, lossHint)) {
                    @Override
                    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
                        CasResult lost = super.writeMeta(expected, next, timeout);
                        mistake.run();
                        return lost;
                    }
                };
            }
        };
        NamespaceAdministration namespace = NamespaceAdministration.open(settings(), provider, platform);
        opened.add(namespace);
        return namespace;
    }

    // it ended with a stack trace, and with the status that says that the namespace is as it was
    @Test
    void aWriteThatEndsWithAnyExceptionLeavesTheOutcomeOpen() {
        generator(store).close();
        NamespaceRestore restore = mistaken(store).prepareRestore();
        assertThatThrownBy(() -> restore.carryOut(Set.of()))
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasMessageContaining("IllegalStateException: the answer was")
                .hasMessageEndingWith("Do the same again.");
        assertThat(store.meta("snowflake")).contains("state=retired");
        restore(namespace(store));

        NamespaceMove move = mistaken(store).prepareMove(namespace(elsewhere));
        assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(NamespaceUnfinishedException.class);
        assertThat(store.meta("snowflake")).contains("state=retired", "successor=");
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());

        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
    }

    @Test
    void aReadThatEndsWithAnyExceptionIsAFailureOfTheCoordinator() {
        generator(store).close();
        NamespaceRestore restore = namespace(store).prepareRestore();
        store.nextCalls(Fault.NONE, Fault.NONE);
        store.faults(() -> {
            throw new IllegalStateException("mistake");
        });

        assertThatThrownBy(() -> restore.carryOut(Set.of()))
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasMessageContaining("a call ended with java.lang.IllegalStateException: mistake");
        assertThatThrownBy(() -> namespace(store).report()).isInstanceOf(CoordinatorException.class);
        store.reconnect();
        assertThat(store.meta("snowflake")).contains("state=retired");
    }

    // it ended with the status that says that the namespace is as it was
    @Test
    void anErrorOfTheCoordinatorLeavesTheOutcomeOpenToo() {
        generator(store).close();
        NamespaceRestore restore = mistaken(store, () -> {
                    throw new NoClassDefFoundError("planted");
                })
                .prepareRestore();
        assertThatThrownBy(() -> restore.carryOut(Set.of()))
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasMessageContaining("a call ended with java.lang.NoClassDefFoundError: planted")
                .hasMessageEndingWith("Do the same again.");
        assertThat(store.meta("snowflake")).contains("state=retired");

        NamespaceRestore again = namespace(store).prepareRestore();
        store.faults(() -> {
            throw new OutOfMemoryError("planted");
        });
        assertThatThrownBy(() -> again.carryOut(Set.of()))
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasMessageContaining("a call ended with java.lang.OutOfMemoryError: planted");
        store.reconnect();
        restore(namespace(store));
    }

    // the message ended with the advice to do the same again, to the operator who was not the first
    @Test
    void ofTwoOperatorsWhoMoveToTwoPlacesTheSecondIsToldToDecide() {
        generator(store).close();
        NamespaceMove second = namespace(store).prepareMove(namespace(new MemoryStore(platform)));
        beginMove(store, elsewhere);
        String record = store.meta("snowflake");

        assertThatThrownBy(() -> second.carryOut(Set.of()))
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasMessageContaining("finish that move, or use that successor")
                .hasMessageEndingWith("So decide soon.");

        assertThat(store.meta("snowflake")).isEqualTo(record);
    }

    @Test
    void ofTwoOperatorsOneStops() {
        generator(store).close();
        NamespaceRestore first = namespace(store).prepareRestore();
        List<Fault> untilRetired = new ArrayList<>(List.of(Fault.NONE, Fault.NONE));
        NamespaceAdministration second = namespace(store);
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
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasCauseInstanceOf(NamespaceRefusedException.class)
                .hasMessageContaining("changed by another process");
        assertThat(store.meta("snowflake")).contains("state=active");
    }

    @Test
    void wrongClockIsRefusedBeforeAnythingIsWritten() {
        generator(store).close();
        String before = store.meta("snowflake");
        platform.stepWallClock(Duration.ofSeconds(-15));

        requireRefused(Reason.WRONG_CLOCK, () -> namespace(store).prepareRestore(), "correct the one that is wrong");
        assertThat(store.meta("snowflake")).isEqualTo(before);
    }

    @Test
    void marksFarAheadKeepTheirWorkerIdsOutOfUseAndNothingElse() {
        LeasedSnowflake ids = generator(store, "snowflake.worker-ids", "0");
        ids.close();
        String mark = store.mark("snowflake", 0);
        String poisoned = mark.replaceAll("limit=\\d+", "limit=900000000000");
        editMark(store, 0, poisoned);
        NamespaceRestore restore = namespace(store).prepareRestore();
        assertThat(restore.doubts()).containsOnlyKeys(NamespaceDoubt.FAR_AHEAD_MARKS);
        assertThatThrownBy(() -> restore.carryOut(Set.of()))
                .hasMessageContaining("1 worker ids are reserved far ahead, up to 2048");
        assertThat(store.meta("snowflake")).contains("state=active").doesNotContain("replaces=");

        Instant first = restore.carryOut(Set.of(NamespaceDoubt.FAR_AHEAD_MARKS));

        assertThat(Duration.between(platform.now(), first)).isLessThan(Duration.ofMinutes(5));
        assertThat(store.mark("snowflake", 0)).isEqualTo(poisoned);
        LeasedSnowflake after = generator(store, "snowflake.startup-timeout", "PT10M");
        assertThat(after.status().workerId()).isNotEqualTo(java.util.OptionalInt.of(0));
        requireRefused(Reason.NO_FLOOR, () -> namespace(store).prepareMove(namespace(elsewhere)), "2048");
    }

    @Test
    void aLayoutWithMoreLowBitsLeavesMarksFarAheadBehind() {
        generator(store, "snowflake.worker-ids", "0").close();
        String mark = store.mark("snowflake", 0);
        editMark(store, 0, mark.replaceAll("limit=\\d+", "limit=300000000000"));
        NamespaceAdministration to = namespace(elsewhere, "snowflake.sequence-bits", "13");

        Instant first = namespace(store).prepareMove(to).carryOut(Set.of());

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
        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));
        assertThat(move.doubts()).containsOnlyKeys(NamespaceDoubt.UNREADABLE_MARKS);
        assertThatThrownBy(() -> move.carryOut(Set.of())).hasMessageContaining("worker ids [2] can't be read");
        assertThat(store.meta("snowflake")).contains("state=active");
        assertThat(elsewhere.meta("snowflake")).isNull();
        move.carryOut(Set.of(NamespaceDoubt.UNREADABLE_MARKS));
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

        restore(namespace(store), NamespaceDoubt.UNREADABLE_RECORD);

        requireStopped(ids);
        issue(
                generator(store, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M"),
                Duration.ofSeconds(1));
    }

    @Test
    void restoreNeedsTheLayoutOfTheRecord() {
        generator(store, "snowflake.worker-id-bits", "9").close();

        requireRefused(Reason.OTHER_LAYOUT, () -> namespace(store).prepareRestore(), "the settings of the application");
        assertThat(namespace(store).report().layout().orElseThrow().workerIdBits())
                .isEqualTo(9);
    }

    @Test
    void staticWorkerIdsHaveNoNamespace() {
        keys.remove("snowflake.worker-ids");
        keys.putAll(Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "1"));

        assertThatThrownBy(() -> NamespaceAdministration.open(settings()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("keeps nothing");
    }

    @Test
    void movesElsewhereWhileGeneratorsRun() {
        LeasedSnowflake before = generator(store, "snowflake.worker-ids", "0");
        issue(before, Duration.ofSeconds(70));
        Instant reserved = before.status().reservedUntil().orElseThrow();

        Instant first = namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());

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
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        LeasedSnowflake second =
                generator(elsewhere, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M");
        issue(second, Duration.ofSeconds(5));

        namespace(elsewhere).prepareMove(namespace(store)).carryOut(Set.of());

        LeasedSnowflake third = generator(store, "snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M");
        issue(third, Duration.ofSeconds(5));
        requireRefused(Reason.MOVED, () -> namespace(elsewhere).prepareRestore(), "moved to memory:snowflake");
    }

    @Test
    void interruptedMoveIsFinishedByAnotherAndNothingElse() {
        generator(store).close();
        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));
        // Read, reserved, read; and then no more.
        elsewhere.nextCalls(Fault.NONE, Fault.NONE, Fault.NONE);
        elsewhere.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> move.carryOut(Set.of()))
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasCauseInstanceOf(CoordinatorException.class);
        elsewhere.reconnect();
        NamespaceReport left = namespace(store).report();
        assertThat(left.state()).isEqualTo(NamespaceState.MOVING);
        assertThat(namespace(elsewhere).report().state()).isEqualTo(NamespaceState.RESERVED);
        assertThat(left.successor()).isEqualTo(namespace(elsewhere).report().id());
        requireRefused(Reason.DOUBT, () -> restore(namespace(store)), "A move to memory:snowflake");
        requireRefused(
                Reason.DOUBT,
                () -> namespace(store)
                        .prepareMove(namespace(elsewhere, "snowflake.namespace", "other"))
                        .carryOut(Set.of()),
                "A move to memory:snowflake");
        assertThat(namespace(store).prepareMove(namespace(elsewhere)).stage()).isEqualTo(Stage.RETIRED);

        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());

        assertThat(elsewhere.meta("snowflake")).contains("state=active");
        NamespaceMove again = namespace(store).prepareMove(namespace(elsewhere));
        assertThat(again.stage()).isEqualTo(Stage.FINISHED);
        String meta = elsewhere.meta("snowflake");
        assertThat(again.carryOut(Set.of())).isEqualTo(again.firstIds());
        assertThat(elsewhere.meta("snowflake")).isEqualTo(meta);
    }

    @Test
    void movesOnlyToWhereNoNamespaceIsInUse() {
        generator(store).close();
        generator(elsewhere).close();
        requireRefused(Reason.PLACE_TAKEN, () -> namespace(store).prepareMove(namespace(elsewhere)), "is in use");
        requireRefused(Reason.SAME_NAMESPACE, () -> namespace(store).prepareMove(namespace(store)), "the same record");
        elsewhere.restore(store.backup());
        requireRefused(Reason.SAME_NAMESPACE, () -> namespace(store).prepareMove(namespace(elsewhere)), "a copy of it");
        requireRefused(
                Reason.NO_RECORD,
                () -> namespace(elsewhere, "snowflake.namespace", "none").prepareMove(namespace(store)),
                "has no record");
        assertThat(store.meta("snowflake")).contains("state=active");
    }

    @Test
    void smallerNumbersAreRefused() {
        generator(store).close();

        requireRefused(
                Reason.NO_FLOOR,
                () -> namespace(store).prepareMove(namespace(elsewhere, "snowflake.sequence-bits", "11")),
                "more bits of worker id and sequence");
        requireRefused(
                Reason.NO_FLOOR,
                () -> namespace(store).prepareMove(namespace(elsewhere, "snowflake.epoch", "2024-01-01T00:00:00Z")),
                "an earlier snowflake.epoch");
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

        namespace(store).prepareMove(namespace(elsewhere, layout)).carryOut(Set.of());

        issue(before, Duration.ofSeconds(20));
        long greatest = issued.get(issued.size() - 1);
        LeasedSnowflake after = generator(elsewhere, layout);
        assertThat(after.nextId()).isGreaterThan(greatest);
    }

    private static final String[] PATIENT = {"snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT10M"};

    /** Named as the first one: another coordinator, or the same after it was wiped. */
    private void requireNoSecondSuccessor(MemoryStore another) {
        LeasedSnowflake ids = generator(elsewhere, PATIENT);

        requireRefused(
                Reason.MOVED,
                () -> namespace(store).prepareMove(namespace(another)),
                "which is not at memory:snowflake as configured here");

        assertThat(another.meta("snowflake")).isNull();
        issue(ids, Duration.ofSeconds(1));
    }

    @Test
    void aSecondSuccessorOfTheSameKindAndNameIsRefused() {
        generator(store).close();
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());

        requireNoSecondSuccessor(new MemoryStore(platform));
    }

    @Test
    void aSuccessorThatLostItsDataIsRestoredAndNotMovedToAgain() {
        generator(store).close();
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        LeasedSnowflake first = generator(elsewhere, PATIENT);
        issue(first, Duration.ofSeconds(20));

        elsewhere.wipe("snowflake");

        requireRefused(
                Reason.MOVED, () -> namespace(store).prepareMove(namespace(elsewhere)), "restore it in its place");
        restore(namespace(elsewhere), NamespaceDoubt.LOST_RECORD);
        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
    }

    @Test
    void aSuccessorOfWhichOnlyTheReservationIsLeftIsRestored() {
        generator(store).close();
        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));
        store.nextCalls(Fault.NONE, Fault.NONE);
        store.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(CoordinatorException.class);
        store.reconnect();
        MemoryStore.Backup reserved = elsewhere.backup();
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(20));

        elsewhere.restore(reserved);

        requireRefused(
                Reason.MOVED,
                () -> namespace(store).prepareMove(namespace(elsewhere)),
                "the coordinator there lost data. Restore it there");
        requireRefused(Reason.DOUBT, () -> restore(namespace(elsewhere)), "is reserved for the namespace with id ");
        restore(namespace(elsewhere), NamespaceDoubt.RESERVED_RECORD);
        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
    }

    @Test
    void aReservationIsNeitherUsedNorGivenToAnother() {
        generator(store).close();
        MemoryStore third = new MemoryStore(platform);
        generator(third).close();
        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));
        store.nextCalls(Fault.NONE, Fault.NONE);
        store.faults(() -> Fault.REFUSED);

        assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(CoordinatorException.class);

        store.reconnect();
        assertThat(store.meta("snowflake")).contains("state=active");
        assertThat(namespace(elsewhere).report().replaces())
                .isEqualTo(namespace(store).report().id());
        assertThatThrownBy(() -> generator(elsewhere)).isInstanceOf(CoordinatorException.class);
        requireRefused(Reason.PLACE_TAKEN, () -> namespace(third).prepareMove(namespace(elsewhere)), "is reserved for");
        requireRefused(Reason.RESERVED, () -> namespace(elsewhere).prepareMove(namespace(third)), "Finish that move");
        assertThat(namespace(store).prepareMove(namespace(elsewhere)).stage()).isEqualTo(Stage.RESERVED);
    }

    @Test
    void aReservationOfWhatWasRestoredMeanwhileIsFree() {
        generator(store).close();
        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));
        store.nextCalls(Fault.NONE, Fault.NONE);
        store.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(CoordinatorException.class);
        store.reconnect();
        restore(namespace(store));

        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());

        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
        assertThat(namespace(store).report().state()).isEqualTo(NamespaceState.MOVED);
    }

    @Test
    void anInterruptedRestoreCanEndAsAMove() {
        LeasedSnowflake before = generator(store, "snowflake.worker-ids", "0");
        issue(before, Duration.ofSeconds(15));
        NamespaceRestore restore = namespace(store).prepareRestore();
        store.nextCalls(Fault.NONE, Fault.NONE);
        store.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> restore.carryOut(Set.of())).isInstanceOf(NamespaceUnfinishedException.class);
        store.reconnect();
        assertThat(namespace(store).report().state()).isEqualTo(NamespaceState.RESTORING);

        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());

        assertThatThrownBy(() -> restore.carryOut(Set.of())).hasMessageContaining("moved to memory:snowflake");
        issue(before, Duration.ofSeconds(1));
        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
    }

    @Test
    void aMoveWhoseGoalIsLostForGoodIsTakenBackOrLedElsewhereWhenThatIsAccepted() {
        for (boolean back : new boolean[] {true, false}) {
            MemoryStore here = new MemoryStore(platform);
            MemoryStore lost = new MemoryStore(platform);
            MemoryStore other = new MemoryStore(platform);
            issue(generator(here, PATIENT), Duration.ofSeconds(15));
            NamespaceMove move = namespace(here).prepareMove(namespace(lost));
            lost.nextCalls(Fault.NONE, Fault.NONE, Fault.NONE);
            lost.faults(() -> Fault.REFUSED);
            assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(NamespaceUnfinishedException.class);

            if (back) {
                restore(namespace(here), NamespaceDoubt.LOST_SUCCESSOR);
            } else {
                namespace(here).prepareMove(namespace(other)).carryOut(Set.of(NamespaceDoubt.LOST_SUCCESSOR));
            }

            lost.reconnect();
            assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(NamespaceRefusedException.class);
            assertThat(lost.meta("snowflake")).contains("state=reserved");
            issue(generator(back ? here : other, PATIENT), Duration.ofSeconds(1));
        }
    }

    /** What the first versions left: they noted the place, and in the new record the id of the old. */
    private void forgetTheSuccessor(MemoryStore at) {
        editMeta(
                at, at.meta("snowflake").replace("state=moved", "state=retired").replaceAll(" successor=\\S+", ""));
    }

    @Test
    void aMoveByAnEarlyVersionIsFinishedIfItsSuccessorIsThere() {
        generator(store).close();
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        forgetTheSuccessor(store);

        NamespaceMove again = namespace(store).prepareMove(namespace(elsewhere));

        assertThat(again.stage()).isEqualTo(Stage.IN_USE);
        again.carryOut(Set.of());
        assertThat(namespace(store).report().successor())
                .isEqualTo(namespace(elsewhere).report().id());
        requireNoSecondSuccessor(new MemoryStore(platform));
    }

    @Test
    void aMoveByAnEarlyVersionWhoseSuccessorIsNotThereIsADoubt() {
        generator(store).close();
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        forgetTheSuccessor(store);
        MemoryStore another = new MemoryStore(platform);

        requireRefused(
                Reason.DOUBT,
                () -> namespace(store).prepareMove(namespace(another)).carryOut(Set.of()),
                "by an early version, which did not note the id of its successor");
        requireRefused(Reason.DOUBT, () -> restore(namespace(store)), "A move to memory:snowflake");
        assertThat(another.meta("snowflake")).isNull();

        // It comes back to where it came from all the same: what it replaces says that the move was finished.
        namespace(elsewhere).prepareMove(namespace(store)).carryOut(Set.of());
        issue(generator(store, PATIENT), Duration.ofSeconds(1));
    }

    @Test
    void noGeneratorUsesARecordThatSaysBothActiveAndMoved() {
        generator(store).close();
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        editMeta(store, store.meta("snowflake").replace("state=moved", "state=active"));

        assertThatThrownBy(() -> generator(store))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("state=active contradicts moved-to");
        requireRefused(Reason.NO_RECORD, () -> namespace(store).prepareMove(namespace(elsewhere)), "unreadable");
        requireRefused(Reason.DOUBT, () -> restore(namespace(store)), "if the namespace moved, ids would repeat");
    }

    @Test
    void aPlaceFromWhichAMoveIsUnderWayIsNotMovedTo() {
        MemoryStore third = new MemoryStore(platform);
        generator(store).close();
        generator(third).close();
        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));
        elsewhere.nextCalls(Fault.NONE, Fault.NONE, Fault.NONE);
        elsewhere.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(NamespaceUnfinishedException.class);
        elsewhere.reconnect();

        requireRefused(
                Reason.PLACE_UNFINISHED,
                () -> namespace(third).prepareMove(namespace(store)),
                "is itself moving to memory:snowflake");

        move.carryOut(Set.of());
        namespace(third).prepareMove(namespace(store)).carryOut(Set.of());
        assertThat(namespace(store).report().state()).isEqualTo(NamespaceState.ACTIVE);
    }

    @Test
    void theFloorOfAnEarlierNamespaceInThatPlaceStays() {
        generator(store).close();
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        Instant later = platform.now().plus(Duration.ofMinutes(50));
        long floor = Duration.between(settings().layout().epoch(), later).toMillis();
        editMeta(store, store.meta("snowflake").replaceAll("floor=\\d+", "floor=" + floor));

        Instant first = namespace(elsewhere).prepareMove(namespace(store)).carryOut(Set.of());

        assertThat(first).isEqualTo(later);
        assertThat(namespace(store).report().floor()).contains(later);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                (1L << 41) - 1,
                (1L << 41) - 60_000,
                (1L << 41) - 60_000 - 60_000,
            })
    void aMarkAboveWhichNoFloorFitsIsRefused(long limit) {
        generator(store, "snowflake.worker-ids", "0").close();
        editMark(store, 0, store.mark("snowflake", 0).replaceAll("limit=\\d+", "limit=" + limit));

        requireRefused(
                Reason.NO_FLOOR,
                () -> namespace(store).prepareMove(namespace(elsewhere)),
                "ids would have to be dated after 2089-09-06");

        assertThat(store.meta("snowflake")).contains("state=active");
        assertThat(elsewhere.meta("snowflake")).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - 1000, 1L << 41, -1, Long.MIN_VALUE})
    void aMarkOutsideTheLayoutIsNoMark(long limit) {
        generator(store, "snowflake.worker-ids", "0").close();
        editMark(store, 0, store.mark("snowflake", 0).replaceAll("limit=\\d+", "limit=" + limit));

        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));

        assertThat(move.doubts()).containsOnlyKeys(NamespaceDoubt.UNREADABLE_MARKS);
        assertThat(move.firstIds()).isAfter(platform.now().plusSeconds(60));
        assertThat(restore(namespace(store))).isAfter(platform.now().plusSeconds(60));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-window=PT2562047788015215H", "max-window=PT2000000000000H", "max-window=P100000000000D",
                "max-window=P2D", "max-window=PT-1H", "max-window=PT0S",
                "floor=9223372036854775807", "floor=2199023255552", "floor=-1",
                "epoch=-1000000000-01-01T00:00:00Z", "epoch=+1000000000-12-31T23:59:59Z"
            })
    void noGeneratorComputesWithAnAbsurdRecord(String pair) {
        generator(store, "snowflake.worker-ids", "0").close();
        String key = pair.substring(0, pair.indexOf('='));
        editMeta(store, store.meta("snowflake").replaceAll(key + "=\\S+", pair));

        assertThatThrownBy(() -> generator(store)).isInstanceOf(CoordinatorException.class);
        requireRefused(Reason.NO_RECORD, () -> namespace(store).prepareMove(namespace(elsewhere)), "unreadable");
        requireRefused(Reason.DOUBT, () -> restore(namespace(store)), key + "=");
        Instant first = restore(namespace(store), NamespaceDoubt.UNREADABLE_RECORD);

        assertThat(first)
                .isBetween(platform.now().plusSeconds(60), platform.now().plusSeconds(600));
    }

    @Test
    void aFloorAboveWhichNoWindowFitsIsRefused() {
        generator(store, "snowflake.worker-ids", "0").close();
        editMeta(store, store.meta("snowflake").replaceAll("floor=\\d+", "floor=" + ((1L << 41) - 60_000)));

        requireRefused(Reason.NO_FLOOR, () -> restore(namespace(store)), "2089-09-06");
        requireRefused(Reason.NO_FLOOR, () -> namespace(store).prepareMove(namespace(elsewhere)), "2089-09-06");
    }

    // ---- what is accepted is accepted of what was seen

    private static final Set<NamespaceDoubt> EVERYTHING = EnumSet.allOf(NamespaceDoubt.class);

    private void requireChanged(MemoryStore at, ThrowingCallable action, String message) {
        String record = at.meta("snowflake");
        assertThatThrownBy(action).hasMessageContaining(message).satisfies(e -> {
            Throwable refused = e instanceof NamespaceUnfinishedException ? e.getCause() : e;
            assertThat(refused)
                    .isInstanceOfSatisfying(NamespaceRefusedException.class, refusal -> assertThat(refusal.reason())
                            .isEqualTo(Reason.CHANGED));
        });
        assertThat(at.meta("snowflake")).isEqualTo(record);
    }

    /** The old namespace is retired, and the new one only reserved. */
    private void beginMove(MemoryStore from, MemoryStore to) {
        NamespaceMove move = namespace(from).prepareMove(namespace(to));
        to.nextCalls(Fault.NONE, Fault.NONE, Fault.NONE);
        to.faults(() -> Fault.REFUSED);
        assertThatThrownBy(() -> move.carryOut(Set.of())).isInstanceOf(NamespaceUnfinishedException.class);
        to.reconnect();
    }

    /** The new namespace is in use. */
    private void moveWithoutNotingIt(MemoryStore from, MemoryStore to, NamespaceDoubt... accepted) {
        namespace(from).prepareMove(namespace(to)).carryOut(Set.of(accepted));
        editMeta(from, from.meta("snowflake").replace("state=moved", "state=retired"));
    }

    // the restore took successor=c away, and both namespaces were in use
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAcceptedLossOfOneSuccessorIsNotThatOfTheNext(boolean back) {
        MemoryStore gone = new MemoryStore(platform);
        MemoryStore another = new MemoryStore(platform);
        generator(store).close();
        beginMove(store, gone);
        NamespaceRestore restore = namespace(store).prepareRestore();
        NamespaceMove move = namespace(store).prepareMove(namespace(another));
        assertThat(restore.recordsInDoubt())
                .isEqualTo(move.recordsInDoubt())
                .containsEntry(
                        NamespaceDoubt.LOST_SUCCESSOR,
                        namespace(gone).report().id().orElseThrow());
        moveWithoutNotingIt(store, elsewhere, NamespaceDoubt.LOST_SUCCESSOR);

        requireChanged(
                store,
                () -> {
                    if (back) {
                        restore.carryOut(Set.of(NamespaceDoubt.LOST_SUCCESSOR));
                    } else {
                        move.carryOut(Set.of(NamespaceDoubt.LOST_SUCCESSOR));
                    }
                },
                namespace(elsewhere).report().id().orElseThrow());

        assertThat(another.meta("snowflake")).isNull();
        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
    }

    @Test
    void whatIsAcceptedBeforehandCoversNoDoubtThatComesUpLater() {
        MemoryStore another = new MemoryStore(platform);
        generator(store).close();
        NamespaceRestore restore = namespace(store).prepareRestore();
        NamespaceMove move = namespace(store).prepareMove(namespace(another));
        moveWithoutNotingIt(store, elsewhere);

        requireChanged(store, () -> restore.carryOut(EVERYTHING), "by another process meanwhile");
        requireChanged(store, () -> move.carryOut(EVERYTHING), "another process changed it meanwhile");

        assertThat(another.meta("snowflake")).isNull();
        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSuccessorThatIsNamedAgainWhileItIsGivenUpIsNotGivenUpTwice(boolean back) {
        generator(store).close();
        beginMove(store, elsewhere);
        NamespaceRestore restore = namespace(store).prepareRestore();
        NamespaceMove move = namespace(store).prepareMove(namespace(new MemoryStore(platform)));
        NamespaceAdministration from = namespace(store);
        NamespaceAdministration to = namespace(elsewhere);
        int[] calls = {0};
        store.faults(() -> {
            // Read once or twice, written, and now to be read again.
            if (++calls[0] == (back ? 3 : 4)) {
                from.prepareMove(to).carryOut(EVERYTHING);
                store.faults(() -> Fault.NONE);
                editMeta(store, store.meta("snowflake").replace("state=moved", "state=retired"));
            }
            return Fault.NONE;
        });

        assertThatThrownBy(() -> {
                    if (back) {
                        restore.carryOut(EVERYTHING);
                    } else {
                        move.carryOut(EVERYTHING);
                    }
                })
                .isInstanceOf(NamespaceUnfinishedException.class)
                .hasCauseInstanceOf(NamespaceRefusedException.class)
                .hasMessageContaining("meanwhile")
                .hasMessageEndingWith("So decide soon.");

        assertThat(store.meta("snowflake"))
                .contains("successor=" + to.report().id().orElseThrow());
        issue(generator(elsewhere, PATIENT), Duration.ofSeconds(1));
    }

    // both said "Restored", and the processes that had started after the first stopped
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoOperatorsWhoFoundNoRecordOneRestores(boolean unreadable) {
        generator(store).close();
        if (unreadable) {
            editMeta(store, "rubbish");
        } else {
            store.wipe("snowflake");
        }
        NamespaceRestore first = namespace(store).prepareRestore();
        NamespaceRestore second = namespace(store).prepareRestore();
        first.carryOut(EVERYTHING);
        LeasedSnowflake ids = generator(store, PATIENT);

        requireChanged(store, () -> second.carryOut(EVERYTHING), "by another process meanwhile");
        requireChanged(store, () -> first.carryOut(EVERYTHING), "by another process meanwhile");

        issue(ids, Duration.ofSeconds(60));
    }

    @Test
    void aStartThatCreatesTheLostRecordMeanwhileDoesNotStopTheRestore() {
        generator(store).close();
        store.wipe("snowflake");
        NamespaceRestore restore = namespace(store).prepareRestore();
        LeasedSnowflake early = generator(store);

        restore.carryOut(Set.of(NamespaceDoubt.LOST_RECORD));

        assertThat(store.meta("snowflake")).contains("state=active", "replaces=");
        requireStopped(early);
    }

    @Test
    void aReservationThatIsPutInUseMeanwhileIsNotReplaced() {
        generator(store).close();
        beginMove(store, elsewhere);
        NamespaceRestore restore = namespace(elsewhere).prepareRestore();
        assertThat(restore.recordsInDoubt())
                .containsEntry(
                        NamespaceDoubt.RESERVED_RECORD,
                        namespace(elsewhere).report().id().orElseThrow());
        namespace(store).prepareMove(namespace(elsewhere)).carryOut(Set.of());
        LeasedSnowflake ids = generator(elsewhere, PATIENT);

        requireChanged(elsewhere, () -> restore.carryOut(EVERYTHING), "by another process meanwhile");

        issue(ids, Duration.ofSeconds(60));
    }

    @Test
    void anotherUnreadableRecordThanTheOneAcceptedIsNotReplaced() {
        generator(store).close();
        editMeta(store, "rubbish");
        NamespaceRestore restore = namespace(store).prepareRestore();
        editMeta(store, "format=2 state=moved");

        requireChanged(store, () -> restore.carryOut(EVERYTHING), "'format=2 state=moved' can't be read");
    }

    private void poison(int workerId, long limit) {
        editMark(store, workerId, store.mark("snowflake", workerId).replaceAll("limit=\\d+", "limit=" + limit));
    }

    @Test
    void onlyMarksThatWereSeenAreAccepted() {
        generator(store, "snowflake.worker-ids", "0").close();
        generator(store, "snowflake.worker-ids", "1").close();
        poison(0, 900_000_000_000L);
        NamespaceRestore seenOne = namespace(store).prepareRestore();
        // Its process goes on, by its wrong clock.
        poison(0, 900_000_060_000L);
        poison(1, 900_000_000_000L);
        NamespaceRestore seenBoth = namespace(store).prepareRestore();

        requireChanged(store, () -> seenOne.carryOut(EVERYTHING), "2 worker ids are reserved far ahead");

        poison(1, 900_000_060_000L);
        seenBoth.carryOut(EVERYTHING);
        assertThat(store.meta("snowflake")).contains("state=active", "replaces=");
    }

    @Test
    void onlyUnreadableMarksThatWereSeenAreAccepted() {
        generator(store).close();
        editMark(store, 2, "garbage");
        NamespaceMove move = namespace(store).prepareMove(namespace(elsewhere));
        editMark(store, 3, "garbage");

        requireChanged(store, () -> move.carryOut(EVERYTHING), "worker ids [2, 3] can't be read");

        assertThat(elsewhere.meta("snowflake")).isNull();
    }
}
