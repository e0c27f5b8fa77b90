// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;

/** The generator and its keeper in virtual time, against a coordinator whose faults are chosen. */
class LeasedSnowflakeTest {

    private final VirtualWorld world = new VirtualWorld(1);
    private final FakeStore store = new FakeStore(world);
    private final VirtualWorld.Machine process = world.new Machine();
    private final Map<String, String> keys = new HashMap<>();
    private final List<LeasedSnowflake> opened = new ArrayList<>();

    private LeasedSnowflake open(VirtualWorld.Machine platform) {
        LeasedSnowflake generator = LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), store, platform);
        opened.add(generator);
        return generator;
    }

    private LeasedSnowflake open() {
        return open(process);
    }

    private int workerId(LeasedSnowflake generator) {
        return generator.status().workerId().orElseThrow();
    }

    private Instant time(long id) {
        return SnowflakeLayout.STANDARD.decode(id).timestamp();
    }

    private void seconds(long seconds) {
        world.sleep(Duration.ofSeconds(seconds));
    }

    /** Issues an id every 100 ms; they must increase. */
    private List<Long> idsFor(LeasedSnowflake generator, Duration duration) {
        List<Long> ids = new ArrayList<>();
        Instant end = world.trueTime().plus(duration);
        while (world.trueTime().isBefore(end)) {
            ids.add(generator.nextId());
            world.sleep(Duration.ofMillis(100));
        }
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        return ids;
    }

    @Test
    void issuesIncreasingIdsUnderTheClaimedWorkerId() {
        LeasedSnowflake ids = open();

        List<Long> issued = idsFor(ids, Duration.ofMinutes(10));

        assertThat(issued)
                .allSatisfy(id -> assertThat(ids.layout().decode(id).workerId()).isEqualTo(workerId(ids)));
        assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
        assertThat(ids.status().ready()).isTrue();
    }

    @Test
    void issuesEachMillisecondAllThatItHolds() {
        LeasedSnowflake ids = open();
        long last = ids.nextId();
        Instant before = world.trueTime();

        for (int i = 0; i < 10 * 4_096; i++) {
            long id = ids.nextId();
            assertThat(id).isGreaterThan(last);
            last = id;
        }

        assertThat(Duration.between(before, world.trueTime())).isLessThan(Duration.ofMillis(15));
    }

    @Test
    void writesOncePerThirdOfTheWindowAndNothingPerId() {
        LeasedSnowflake ids = open();
        seconds(60);
        int before = store.writes;

        idsFor(ids, Duration.ofMinutes(10));

        assertThat(store.writes - before).isBetween(29, 31);
    }

    @Test
    void growsTheWindowFromTenSecondsToTheConfiguredOne() {
        LeasedSnowflake ids = open();
        int id = workerId(ids);
        long first = store.mark(id).limit() - ids.layout().tickOf(process.wallMillis());
        seconds(30);

        long later = store.mark(id).limit() - ids.layout().tickOf(process.wallMillis());

        assertThat(first).isBetween(9_900L, 10_000L);
        assertThat(later).isBetween(39_000L, 60_000L);
    }

    @Test
    void releasesAtCloseSoThatTheNextOneCanStartAtOnce() {
        keys.put("snowflake.worker-ids", "3");
        LeasedSnowflake first = open();
        long last = first.nextId();
        first.close();
        assertThat(store.owner(3)).isNull();

        Instant before = world.trueTime();
        LeasedSnowflake second = open();

        assertThat(second.nextId()).isGreaterThan(last);
        assertThat(Duration.between(before, world.trueTime())).isLessThan(Duration.ofMillis(50));
        assertThatThrownBy(first::nextId)
                .isInstanceOf(SnowflakeUnavailableException.class)
                .hasMessageContaining("closed");
        assertThat(first.status().state()).isEqualTo(State.CLOSED);
    }

    @Test
    void neverIssuedTrimsToTheLimitFound() {
        keys.put("snowflake.worker-ids", "3");
        LeasedSnowflake first = open();
        long issued = first.nextIds(100_000)[99_999];
        first.close();
        long limit = store.mark(3).limit();
        assertThat(SnowflakeLayout.STANDARD.instantOf(limit))
                .isEqualTo(time(issued).plusMillis(1));

        open().close();

        assertThat(store.mark(3).limit()).isEqualTo(limit);
    }

    @Test
    void outageOfTwoThirdsOfTheWindowHasNoEffect() {
        LeasedSnowflake ids = open();
        seconds(60);

        store.down = true;
        Instant before = world.trueTime();
        idsFor(ids, Duration.ofSeconds(40));

        assertThat(Duration.between(before, world.trueTime())).isLessThan(Duration.ofSeconds(41));
    }

    @Test
    void staysReadyAsLongAsItHasIdsIfItIsToldTo() {
        keys.put("snowflake.health.ready-until", "window-end");
        LeasedSnowflake ids = open();
        seconds(60);
        store.down = true;
        Instant end = ids.status().reservedUntil().orElseThrow();
        while (world.trueTime().isBefore(end.minusSeconds(1))) {
            ids.nextId();
            seconds(1);
            assertThat(ids.status().ready()).isEqualTo(world.trueTime().isBefore(end));
        }
        seconds(2);

        assertThat(ids.status().ready()).isFalse();
    }

    @Test
    void longOutageEndsIdsWithTheReasonThenAtOnceAndHeals() {
        LeasedSnowflake ids = open();
        seconds(60);
        store.down = true;
        Instant end = ids.status().reservedUntil().orElseThrow();
        while (world.trueTime().isBefore(end)) {
            ids.nextId();
            seconds(1);
        }
        assertThat(ids.status().ready()).isFalse();

        Instant asked = world.trueTime();
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(SnowflakeUnavailableException.class)
                .hasMessageContaining("no answer within");
        assertThat(Duration.between(asked, world.trueTime())).isLessThanOrEqualTo(Duration.ofMillis(2100));
        seconds(5);
        asked = world.trueTime();
        assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);
        assertThat(world.trueTime()).isEqualTo(asked);
        assertThat(ids.status().state()).isEqualTo(State.SUSPENDED);

        seconds(120);
        store.down = false;
        seconds(4);
        ids.nextId();
        assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
        assertThat(ids.status().lastError()).isEmpty();
    }

    @Test
    void lostOwnerEntryIsClaimedAgainWithoutAnyPause() {
        LeasedSnowflake ids = open();
        int id = workerId(ids);
        seconds(60);

        store.owners.clear();
        store.hintLoss();
        idsFor(ids, Duration.ofSeconds(2));

        assertThat(store.owner(id)).isNotNull();
        assertThat(workerId(ids)).isEqualTo(id);
    }

    @Test
    void takenOverSlotIsReplacedAndIdsIncreaseOverTheSwap() {
        keys.put("snowflake.worker-ids", "0-1");
        LeasedSnowflake ids = open();
        int id = workerId(ids);
        seconds(60);
        Mark mine = store.mark(id);
        long before = ids.nextId();
        store.putMark(
                id,
                Mark.next(
                                RecordLine.NONE,
                                mine.limit() + 5000,
                                "another",
                                0,
                                mine.limit(),
                                world.trueTime(),
                                SnowflakeLayout.STANDARD,
                                1)
                        .value());

        List<Long> after = idsFor(ids, Duration.ofSeconds(60));

        assertThat(after.get(0)).isGreaterThan(before);
        assertThat(workerId(ids)).isEqualTo(1 - id);
    }

    @Test
    void takenOverSlotIsClaimedAgainWhenItsNewHolderLeaves() {
        keys.put("snowflake.worker-ids", "0");
        LeasedSnowflake first = open();
        seconds(60);
        process.pause(Duration.ofSeconds(70));
        store.owners.clear();
        LeasedSnowflake second = open(world.new Machine());
        seconds(80);
        assertThatThrownBy(first::nextId).isInstanceOf(SnowflakeUnavailableException.class);
        long last = second.nextId();

        second.close();
        seconds(5);

        assertThat(idsFor(first, Duration.ofMinutes(2)).get(0)).isGreaterThan(last);
        assertThat(store.owner(0)).isNotNull();
    }

    @Test
    void lostReplyOfAnExtensionIsResolvedBySendingTheSameBytesAgain() {
        LeasedSnowflake ids = open();
        seconds(60);

        store.repliesToLose = 3;
        idsFor(ids, Duration.ofMinutes(2));

        assertThat(ids.status().lastError()).isEmpty();
        assertThat(ids.status().ready()).isTrue();
    }

    @Test
    void lostReplyOfAClaimIsReadBack() {
        keys.put("snowflake.worker-ids", "0");
        store.requestsToLose = 1; // the namespace record
        store.repliesToLose = 2; // it again, then the claim

        LeasedSnowflake ids = open();

        assertThat(workerId(ids)).isZero();
        // A second claim would begin where the first one ends.
        assertThat(store.mark(0).from())
                .isCloseTo(SnowflakeLayout.STANDARD.tickOf(VirtualWorld.BEGIN.toEpochMilli()), within(1_000L));
        idsFor(ids, Duration.ofMinutes(1));
    }

    @Test
    void crashedHoldersSlotIsTakenAfterItsLimitOnly() {
        keys.put("snowflake.worker-ids", "0");
        LeasedSnowflake first = open();
        seconds(60);
        long last = first.nextId();
        Instant limit = first.status().reservedUntil().orElseThrow();
        store.owners.clear();
        VirtualWorld.Machine other = world.new Machine();

        LeasedSnowflake second = open(other);

        assertThat(time(second.nextId())).isAfterOrEqualTo(limit);
        assertThat(second.nextId()).isGreaterThan(last);
        Throwable stopped = null;
        Set<Long> both = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            both.add(second.nextId());
            try {
                both.add(first.nextId());
            } catch (SnowflakeException e) {
                stopped = e;
                both.add((long) -i - 1);
            }
            world.sleep(Duration.ofMillis(10));
        }
        assertThat(both).hasSize(2000);
        assertThat(stopped).hasMessageContaining("worker id");
    }

    @Test
    void allSlotsHeldFailsAfterTheStartupTimeoutNamingAHolder() {
        keys.put("snowflake.worker-ids", "0-1");
        open(world.new Machine());
        open(world.new Machine());
        Instant before = world.trueTime();

        assertThatThrownBy(() -> open(world.new Machine()))
                .isInstanceOf(NoFreeWorkerIdException.class)
                .hasMessageContaining("2 of 2 worker ids are held")
                .hasMessageContaining("host ");

        assertThat(Duration.between(before, world.trueTime()))
                .isBetween(Duration.ofSeconds(90), Duration.ofSeconds(95));
    }

    @Nested
    class ClockSteps {

        @Test
        void waitsForASmallStepBack() {
            LeasedSnowflake ids = open();
            long before = ids.nextId();
            process.stepClock(Duration.ofMillis(-300));
            Instant asked = world.trueTime();

            long after = ids.nextId();

            assertThat(after).isGreaterThan(before);
            assertThat(Duration.between(asked, world.trueTime()))
                    .isBetween(Duration.ofMillis(290), Duration.ofMillis(310));
        }

        @Test
        void failsAtOnceOnALargerStepBackAndHealsWhenTheClockCatchesUp() {
            LeasedSnowflake ids = open();
            long before = ids.nextId();
            process.stepClock(Duration.ofSeconds(-3));
            Instant asked = world.trueTime();

            assertThatThrownBy(ids::nextId)
                    .isInstanceOf(ClockMovedBackwardsException.class)
                    .hasMessageContaining("snowflake.clock.max-wait");
            assertThat(world.trueTime()).isEqualTo(asked);

            seconds(3);
            assertThat(ids.nextId()).isGreaterThan(before);
        }

        // an operator who looked for the cause in the log found nothing
        @Test
        void saysOnceInTheLogThatCallsFailAndThatTheyDoNoMore() {
            LeasedSnowflake ids = open();
            // Until then the keeper looks more often for other reasons.
            seconds(121);
            ids.nextId();
            try (LogLines log = new LogLines()) {
                process.stepClock(Duration.ofSeconds(-3));
                for (int tenth = 0; tenth < 25; tenth++) {
                    assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
                    world.sleep(Duration.ofMillis(100));
                }
                assertThat(log.all())
                        .singleElement()
                        .asString()
                        .startsWith("snowflake 'default': calls fail: the clock (now ")
                        .endsWith(" ms behind the last id. snowflake.clock.max-wait=PT0.5S allows to wait for less.");

                seconds(3);
                assertThat(ids.nextId()).isPositive();
                assertThat(log.all())
                        .hasSize(2)
                        .last()
                        .isEqualTo("snowflake 'default': the clock has caught up with the last id");

                process.stepClock(Duration.ofSeconds(-3));
                assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
                seconds(1);
                assertThat(log.all()).hasSize(3);
            }
        }

        @Test
        void policyFailDoesNotWaitAtAll() {
            keys.put("snowflake.clock.on-rollback", "fail");
            LeasedSnowflake ids = open();
            ids.nextId();
            process.stepClock(Duration.ofMillis(-5));

            assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        }

        // the message named the key for all generators, which has another value
        @Test
        void theMessageNamesTheKeyOfTheGeneratorItself() {
            keys.put("snowflake.clock.on-rollback", "wait");
            keys.put("snowflake.generators.orders.clock.on-rollback", "fail");
            LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of("orders", keys), store, process);
            ids.nextId();
            process.stepClock(Duration.ofMillis(-5));

            assertThatThrownBy(ids::nextId)
                    .hasMessageContaining("snowflake.generators.orders.clock.on-rollback=fail says not to wait.");
        }

        @Test
        void policyContinueGoesOnUpToItsBound() {
            keys.put("snowflake.clock.on-rollback", "continue");
            LeasedSnowflake ids = open();
            long before = ids.nextId();
            process.stepClock(Duration.ofSeconds(-3));

            long[] during = ids.nextIds(1_000_000);

            assertThat(during[0]).isGreaterThan(before);
            assertThat(during).isSorted();
            Throwable bound = catchThrowable(() -> {
                for (int i = 0; i < 20; i++) {
                    ids.nextIds(1_000_000);
                }
            });
            assertThat(bound).isNull();
            assertThat(Duration.between(Instant.ofEpochMilli(process.wallMillis()), time(ids.nextId())))
                    .isLessThanOrEqualTo(Duration.ofMillis(5001));
        }

        @Test
        void anHourBackIsContradictedByTheCoordinatorAndHidden() {
            LeasedSnowflake ids = open();
            seconds(60);
            ids.nextId();
            process.stepClock(Duration.ofHours(-1));
            // The first call waits until the keeper has asked the coordinator, and no longer.
            assertThat(time(ids.nextId())).isCloseTo(world.trueTime(), within(1, ChronoUnit.SECONDS));

            List<Long> after = idsFor(ids, Duration.ofMinutes(5));

            assertThat(Duration.between(time(after.get(0)), world.trueTime())).isLessThan(Duration.ofSeconds(301));
            assertThat(ids.status().clockWarning()).get().asString().contains("not believed");
            process.stepClock(Duration.ofHours(1));
            seconds(30);
            assertThat(ids.status().clockWarning()).isEmpty();
        }

        @Test
        void aDayForwardAndBackPoisonsNoMark() {
            LeasedSnowflake ids = open();
            seconds(60);
            process.stepClock(Duration.ofDays(1));

            List<Long> during = idsFor(ids, Duration.ofMinutes(3));
            process.stepClock(Duration.ofDays(-1));
            idsFor(ids, Duration.ofMinutes(3));

            assertThat(time(during.get(during.size() - 1))).isBefore(world.trueTime());
            for (int id : store.marks.keySet()) {
                assertThat(store.mark(id).limit())
                        .isLessThan(SnowflakeLayout.STANDARD.tickOf(
                                world.trueTime().plusSeconds(61).toEpochMilli()));
            }
        }

        @Test
        void aConfirmedJumpForwardIsFollowedOnAnotherWorkerId() {
            LeasedSnowflake ids = open();
            seconds(60);
            int id = workerId(ids);
            process.stepClock(Duration.ofSeconds(-25));
            store.tellsTime = false;
            // a process whose clock was 25 s slow from the start
            VirtualWorld.Machine slow = world.new Machine();
            slow.stepClock(Duration.ofSeconds(-25));
            LeasedSnowflake other = open(slow);
            seconds(60);
            int otherId = workerId(other);
            store.tellsTime = true;
            slow.stepClock(Duration.ofSeconds(25));

            idsFor(other, Duration.ofSeconds(30));

            assertThat(workerId(other)).isNotEqualTo(otherId);
            assertThat(other.status().clockWarning()).isEmpty();
            assertThat(id).isNotNegative();
        }

        @Test
        void aClockThatJumpsBetweenItsVettingAndTheClaimRaisesNoMark() {
            store.requestsToLose = 1;
            world.later(Duration.ofMillis(2), () -> process.stepClock(Duration.ofDays(30 * 365)));

            open();

            assertThat(store.marks).hasSize(1);
            int id = store.marks.keySet().iterator().next();
            assertThat(SnowflakeLayout.STANDARD.instantOf(store.mark(id).limit()))
                    .isBefore(world.trueTime().plusSeconds(11));
        }

        @Test
        void aGrantFarAheadOfTheClockIsSuspendedAndStillNoticesThatItsMarkIsGone() {
            store.tellsTime = false;
            LeasedSnowflake ids = open();
            process.stepClock(Duration.ofDays(30 * 365));
            seconds(30);
            assertThat(time(ids.nextId())).isAfter(Instant.parse("2056-01-01T00:00:00Z"));
            process.restoreClock();
            seconds(30);
            assertThat(ids.status().state()).isEqualTo(State.SUSPENDED);
            assertThat(ids.status().ready()).isFalse();
            assertThat(ids.status().lastError()).get().asString().contains("behind the last id");

            store.marks.clear();
            seconds(21);

            assertThatThrownBy(ids::nextId).isInstanceOf(CoordinatorRegressedException.class);
        }

        @Test
        void refusesToStartThirtyYearsAheadOfTheCoordinator() {
            process.stepClock(Duration.ofDays(30 * 365));

            assertThatThrownBy(() -> open())
                    .isInstanceOf(CoordinatorException.class)
                    .hasMessageContaining("2056")
                    .hasMessageContaining("2026");

            assertThat(store.marks).isEmpty();
        }

        @Test
        void refusesToStartThirtyYearsAheadOfALivePeer() {
            store.tellsTime = false;
            open(world.new Machine());
            process.stepClock(Duration.ofDays(30 * 365));

            assertThatThrownBy(() -> open())
                    .isInstanceOf(CoordinatorException.class)
                    .hasMessageContaining("but the only one of the live peers says 2026-03-01T10:");

            assertThat(store.marks).hasSize(1);
        }

        @Test
        void oneWrongClockAmongThePeersDoesNotCount() {
            store.tellsTime = false;
            open(world.new Machine());
            open(world.new Machine());
            int id = 0;
            while (store.marks.containsKey(id)) {
                id++;
            }
            long now = SnowflakeLayout.STANDARD.tickOf(process.wallMillis());
            Instant wrong = world.trueTime().plus(Duration.ofDays(30 * 365));
            store.putMark(
                    id,
                    Mark.next(RecordLine.NONE, now + 5000, "wrong", 0, now, wrong, SnowflakeLayout.STANDARD, 1)
                            .value());
            store.owners.put(id, new FakeStore.Held("wrong", this, Long.MAX_VALUE));

            assertThat(time(open().nextId())).isBefore(world.trueTime().plusSeconds(1));
        }

        @Test
        void aloneWithoutReferenceTheClockIsBelieved() {
            store.tellsTime = false;
            process.stepClock(Duration.ofDays(30 * 365));

            assertThat(time(open().nextId())).isAfter(Instant.parse("2056-01-01T00:00:00Z"));
        }

        @Test
        void aLaptopsSleepIsFollowedOnceTheClockRanSteadily() {
            store.tellsTime = false;
            LeasedSnowflake ids = open();
            seconds(60);
            process.stepClock(Duration.ofHours(8));
            seconds(1);

            seconds(45);

            assertThat(ids.status().clockWarning()).isEmpty();
            assertThat(time(ids.nextId())).isAfter(world.trueTime().plus(Duration.ofHours(7)));
        }
    }

    @Nested
    class LostData {

        @Test
        void wipedCoordinatorStopsIdsWithinAnExtensionPeriod() {
            LeasedSnowflake ids = open();
            seconds(60);

            store.marks.clear();
            store.owners.clear();
            store.putMeta(null);
            seconds(21);

            assertThatThrownBy(ids::nextId)
                    .isInstanceOf(CoordinatorRegressedException.class)
                    .hasMessageContaining("lost its record");
            assertThat(ids.status().state()).isEqualTo(State.SUSPENDED);
        }

        @Test
        void restoredBackupStopsIds() {
            LeasedSnowflake ids = open();
            seconds(60);
            int id = workerId(ids);
            String backup = store.marks.get(id).value();
            seconds(60);

            store.putMark(id, backup);
            seconds(21);

            assertThatThrownBy(ids::nextId).isInstanceOf(CoordinatorRegressedException.class);
        }

        @Test
        void deletedMarkStopsIds() {
            LeasedSnowflake ids = open();
            seconds(60);

            store.marks.clear();
            seconds(21);

            assertThatThrownBy(ids::nextId)
                    .isInstanceOf(CoordinatorRegressedException.class)
                    .hasMessageContaining("lost the mark");
        }

        // no write compared the worker id's mark any more, and ids went on to the end of a window that others were
        // being granted again
        @Test
        void restoredBackupStopsIdsThoughAnotherProcessHadTheWorkerId() {
            keys.put("snowflake.window", "PT10M");
            keys.put("snowflake.worker-ids", "0");
            LeasedSnowflake ids = open();
            seconds(900);
            String backup = store.marks.get(0).value();
            seconds(400);
            long now = SnowflakeLayout.STANDARD.tickOf(process.wallMillis());
            store.putMark(
                    0,
                    Mark.next(
                                    RecordLine.NONE,
                                    now + 900_000,
                                    "another",
                                    0,
                                    now + 700_000,
                                    world.trueTime(),
                                    SnowflakeLayout.STANDARD,
                                    1)
                            .value());
            store.owners.put(0, new FakeStore.Held("another", this, Long.MAX_VALUE));
            seconds(250);
            assertThat(ids.nextId()).isPositive();

            store.putMark(0, backup);
            seconds(5);

            assertThatThrownBy(ids::nextId).isInstanceOf(CoordinatorRegressedException.class);
        }

        @Test
        void retiredNamespaceLetsIdsRunOutAndRefusesStarts() {
            LeasedSnowflake ids = open();
            seconds(60);
            store.putMeta(store.meta.value().replace("state=active", "state=retired"));
            long limit = store.mark(workerId(ids)).limit();

            try (LogLines log = new LogLines()) {
                seconds(21);
                ids.nextId();
                seconds(60);

                assertThat(log.all())
                        .as("once, since the keeper does not ask again")
                        .filteredOn(line -> line.contains("was retired"))
                        .hasSize(1);
            }
            assertThatThrownBy(ids::nextId)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining("retired");
            assertThat(store.mark(workerId(ids)).limit()).isEqualTo(limit);
            assertThatThrownBy(() -> open(world.new Machine())).hasMessageContaining("retired");
        }

        @Test
        void marksWithoutARecordRefuseAStart() {
            open().close();
            store.putMeta(null);

            assertThatThrownBy(() -> open(world.new Machine())).isInstanceOf(CoordinatorRegressedException.class);
        }

        @Test
        void requireRefusesAnEmptyCoordinator() {
            keys.put("snowflake.namespace-creation", "require");

            assertThatThrownBy(() -> open()).hasMessageContaining("snowflake.namespace-creation=require");
            assertThat(store.meta).isNull();
        }

        @Test
        void fencedCreationStartsAboveWhatMayHaveBeenOpen() {
            keys.put("snowflake.namespace-creation", "create-fenced");
            Instant before = world.trueTime();

            LeasedSnowflake ids = open();

            assertThat(time(ids.nextId())).isAfterOrEqualTo(before.plusSeconds(120));
        }

        @Test
        void changedFloorIsAdopted() {
            LeasedSnowflake ids = open();
            seconds(60);
            store.putMeta(RecordLine.parse(store.meta.value())
                    .with("max-window", "PT120S")
                    .with("new", "pair")
                    .toString());

            idsFor(ids, Duration.ofMinutes(2));

            assertThat(ids.status().ready()).isTrue();
        }

        @Test
        void otherLayoutIsRefusedNamingBoth() {
            open();
            keys.put("snowflake.sequence-bits", "10");

            assertThatThrownBy(() -> open(world.new Machine()))
                    .isInstanceOf(LayoutMismatchException.class)
                    .hasMessageContaining("sequence-bits=12")
                    .hasMessageContaining("sequence-bits=10");
        }

        @Test
        void largerWindowIsWrittenFirst() {
            open().close();
            keys.put("snowflake.window", "PT100S");
            keys.put("snowflake.startup-timeout", "PT150S");

            open(world.new Machine());

            assertThat(store.meta.value()).contains("max-window=PT1M40S");
        }
    }

    @Test
    void lowBitsSpreadWhenIdsAreRare() {
        LeasedSnowflake ids = open();
        int[] buckets = new int[32];
        for (int i = 0; i < 3200; i++) {
            buckets[(int) (ids.nextId() & 31)]++;
            world.sleep(Duration.ofMillis(3));
        }

        assertThat(Arrays.stream(buckets).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(90, 110));
    }

    @Test
    void batchesAreAscendingDistinctAndBoundedByTheClock() {
        LeasedSnowflake ids = open();
        Instant before = world.trueTime();

        long[] batch = ids.nextIds(100_000);

        assertThat(batch).isSorted().doesNotHaveDuplicates().hasSize(100_000);
        assertThat(Duration.between(before, world.trueTime())).isBetween(Duration.ofMillis(23), Duration.ofMillis(26));
        assertThatThrownBy(() -> ids.nextIds(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ids.nextIds(1_000_001)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void burstRunsAheadOfTheClockByItsBoundOnly() {
        keys.put("snowflake.burst", "PT0.1S");
        LeasedSnowflake ids = open();
        Instant before = world.trueTime();
        ids.nextId();
        assertThat(ids.status().drift()).isZero();

        long[] batch = ids.nextIds(100 * 4096);

        assertThat(world.trueTime()).isEqualTo(before);
        assertThat(Duration.between(before, time(batch[batch.length - 1]))).isLessThanOrEqualTo(Duration.ofMillis(101));
        assertThat(ids.status().drift()).isBetween(Duration.ofMillis(99), Duration.ofMillis(101));

        world.sleep(Duration.ofMillis(60));
        assertThat(ids.status().drift()).isBetween(Duration.ofMillis(39), Duration.ofMillis(41));
    }

    @Test
    void interruptedWaitKeepsTheFlag() {
        LeasedSnowflake ids = open();
        ids.nextId();
        process.stepClock(Duration.ofMillis(-300));
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);

            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void timestampRangeIsRefusedAheadOfItsEnd() {
        keys.put("snowflake.worker-id-bits", "20");

        assertThatThrownBy(() -> open())
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake.worker-id-bits=20")
                .hasMessageContaining("31 bits")
                .hasMessageContaining("2020-01-25");
    }

    @Test
    void startupAheadLetsIdsBeginAheadOfTheClock() {
        keys.put("snowflake.worker-ids", "0");
        LeasedSnowflake first = open();
        seconds(60);
        long last = first.nextId();
        store.owners.clear();
        keys.put("snowflake.startup-ahead", "PT60S");
        Instant before = world.trueTime();

        LeasedSnowflake second = open(world.new Machine());

        assertThat(second.nextId()).isGreaterThan(last);
        assertThat(Duration.between(before, world.trueTime())).isLessThan(Duration.ofSeconds(2));
        idsFor(second, Duration.ofMinutes(2));
    }

    @Test
    void unreachableCoordinatorFailsTheStartAfterItsTimeout() {
        store.down = true;
        keys.put("snowflake.startup-timeout", "PT90S");
        Instant before = world.trueTime();

        assertThatThrownBy(() -> open())
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("no worker id within snowflake.startup-timeout=PT1M30S")
                .hasMessageContaining("no answer");

        assertThat(Duration.between(before, world.trueTime())).isLessThan(Duration.ofSeconds(96));
    }
}
