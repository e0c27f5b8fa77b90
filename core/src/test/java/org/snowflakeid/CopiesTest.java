// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/** Two processes that were one memory image: at most one goes on, and not in the span that both were granted. */
class CopiesTest {

    private static final int ALWAYS = Integer.MAX_VALUE;

    /** The ticks and times in a mark, which are equal in copies that run in lock step. */
    private static final Set<String> SAME_IN_LOCK_STEP = Set.of("limit", "k", "from", "at", "until");

    /** The entries of a mark that differ between copies. */
    private static Map<String, String> ownBytes(String mark) {
        Map<String, String> pairs = new LinkedHashMap<>(RecordLine.parse(mark).entries());
        pairs.keySet().removeAll(SAME_IN_LOCK_STEP);
        return pairs;
    }

    private static Map<String, String> sharedBytes(String mark) {
        Map<String, String> pairs = new LinkedHashMap<>(RecordLine.parse(mark).entries());
        pairs.keySet().retainAll(SAME_IN_LOCK_STEP);
        return pairs;
    }

    /** Both write the same in the same millisecond, except for what each draws from the kernel after the copy was made. */
    @Nested
    class InLockStep {

        private final Stage stage = new Stage();

        /** Every write of the mark of worker id 0. */
        private List<String> marksWrittenFor(Duration duration) {
            List<String> written = new ArrayList<>();
            Actor process = stage.process();
            process.open();
            Instant end = stage.world.trueTime().plus(duration);
            while (stage.world.trueTime().isBefore(end)) {
                String mark = stage.store.marks.get(0).value();
                if (written.isEmpty() || !mark.equals(written.get(written.size() - 1))) {
                    written.add(mark);
                }
                stage.sleep(Duration.ofMillis(100));
            }
            return written;
        }

        // a claim kept one token, and nothing else in its marks was random
        @Test
        void everyWriteCarriesRandomBytesOfItsOwn() {
            List<String> written = marksWrittenFor(Duration.ofMinutes(1));

            assertThat(written).hasSizeGreaterThan(10);
            assertThat(written.stream().map(CopiesTest::ownBytes)).doesNotHaveDuplicates();
            stage.assertSafe();
        }

        // the bytes of a process's next write were fixed before it drew anything for it
        @Test
        void anExtensionDependsOnWhatIsDrawnForItAlone() {
            String one = extensionWith(new Random(1));
            String other = extensionWith(new Random(2));

            assertThat(sharedBytes(one)).isEqualTo(sharedBytes(other));
            assertThat(one).isNotEqualTo(other);
        }

        /** The extension of a run; two runs are equal until shortly before they send it. */
        private String extensionWith(Random drawn) {
            Stage run = new Stage();
            Actor process = run.process();
            process.open();
            process.wire.hold(Kind.EXTEND);
            run.sleep(Duration.ofSeconds(1));
            process.randomness = drawn::nextLong;
            return process.wire.next().value;
        }

        /** Two processes that believe they hold one claim: both sent the same bytes, and both heard that they were applied. */
        private List<Actor> copies() {
            List<Actor> copies = List.of(stage.process(), stage.process());
            for (Actor copy : copies) {
                Random drawn = new Random(7);
                copy.randomness = drawn::nextLong;
                copy.holdClock(stage.world.trueTime());
                copy.wire.hold(Kind.CLAIM);
                copy.wire.hold(Kind.EXTEND);
                copy.startOpening();
            }
            Request claim = copies.get(0).wire.next();
            Request same = copies.get(1).wire.next();
            assertThat(same.value).isEqualTo(claim.value);
            CasResult applied = claim.arrive();
            assertThat(applied).isInstanceOf(CasResult.Applied.class);
            claim.answer(applied);
            same.answer(applied);
            copies.forEach(Actor::awaitOpen);
            for (int i = 0; i < 2; i++) {
                Random drawn = new Random(i);
                copies.get(i).randomness = drawn::nextLong;
            }
            return copies;
        }

        // the second process took the first one's bytes for its own: 600 duplicates in ten minutes
        @Test
        void theSecondWriteOfTheSameExtensionIsAnothers() {
            List<Actor> copies = copies();
            Request first = copies.get(0).wire.next();
            Request second = copies.get(1).wire.next();
            assertThat(sharedBytes(second.value)).isEqualTo(sharedBytes(first.value));

            first.answer(first.arrive());
            second.answer(second.arrive());
            stage.sleep(Duration.ofSeconds(1));

            copies.get(0).issue();
            assertThatThrownBy(copies.get(1)::issue).isInstanceOf(CoordinatorRegressedException.class);
        }

        // the same where an answer is lost, so that the bytes are sent again
        @ParameterizedTest
        @CsvSource({"0", "1"})
        void aSecondWriteThatIsSentAgainIsAnothersToo(int winner) {
            List<Actor> copies = copies();
            Request[] writes = {copies.get(0).wire.next(), copies.get(1).wire.next()};
            assertThat(writes[winner].arrive()).isInstanceOf(CasResult.Applied.class);
            for (int i = 0; i < 2; i++) {
                writes[i].lose();
                copies.get(i).wire.release(Kind.EXTEND);
            }
            stage.sleep(Duration.ofSeconds(3));

            copies.get(winner).issue();
            assertThatThrownBy(copies.get(1 - winner)::issue).isInstanceOf(CoordinatorRegressedException.class);
        }

        // bytes that differ in nothing else were not to be had
        @Test
        void bytesThatDifferInTheRandomPairsOnlyAreAnothers() {
            Actor process = stage.process();
            process.open();
            String before = stage.store.marks.get(0).value();
            process.wire.hold(Kind.EXTEND);
            Request write = process.wire.next();
            RecordLine copys = RecordLine.parse(write.value);
            for (Map.Entry<String, String> pair : ownBytes(write.value).entrySet()) {
                if (!pair.getValue().equals(ownBytes(before).get(pair.getKey()))) {
                    String reversed =
                            new StringBuilder(pair.getValue()).reverse().toString();
                    copys = copys.with(pair.getKey(), reversed);
                }
            }
            assertThat(copys.toString()).isNotEqualTo(write.value).hasSameSizeAs(write.value);
            stage.store.putMark(0, copys.toString());

            write.answer(write.arrive());
            stage.sleep(Duration.ofSeconds(1));

            assertThatThrownBy(process::issue).isInstanceOf(CoordinatorRegressedException.class);
        }
    }

    /** The clock jumped ahead, the write that only one copy can win is won, and then the claim of another worker id fails. */
    @Nested
    class TheWinner {

        private final Stage stage = new Stage();
        private final Actor process = stage.process();
        private Instant shared = Instant.MAX;

        enum Failure {
            EXCEPTION,
            EXCEPTION_AFTERWARDS,
            RUNTIME_EXCEPTION,
            ERROR,
            READ_FAILS,
            NO_ANSWER
        }

        private void letClaimsFail(Failure failure) {
            CoordinatorException away = new CoordinatorException("planted", false);
            switch (failure) {
                case EXCEPTION -> process.wire.throwInsteadOf(Kind.CLAIM, ALWAYS, away);
                case EXCEPTION_AFTERWARDS -> process.wire.throwAfter(Kind.CLAIM, ALWAYS, away);
                case RUNTIME_EXCEPTION ->
                    process.wire.throwInsteadOf(Kind.CLAIM, ALWAYS, new IllegalStateException("planted"));
                case ERROR -> process.wire.throwInsteadOf(Kind.CLAIM, ALWAYS, new OutOfMemoryError("planted"));
                case READ_FAILS -> process.wire.throwInsteadOf(Kind.READ, ALWAYS, away);
                case NO_ANSWER -> process.wire.hold(Kind.CLAIM);
            }
        }

        private void openWithAFullWindow() {
            stage.keys.putAll(Map.of(
                    "snowflake.window", "PT60S",
                    "snowflake.startup-timeout", "PT90S",
                    "snowflake.startup-ahead", "PT0S",
                    "snowflake.worker-ids", "0-7"));
            process.open();
            stage.sleep(Duration.ofMinutes(2));
        }

        /** The coordinator does not contradict the step: it is within what is allowed. */
        private void winTheWriteAfterAJump(Failure failure) {
            process.wire.hold(Kind.EXTEND);
            int id = process.workerId();
            process.machine.stepClock(Duration.ofSeconds(11));
            shared = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(id).limit());
            Actor.Call unused = process.startCall();
            Request write = process.wire.next();
            letClaimsFail(failure);
            process.wire.release(Kind.EXTEND);
            assertThat(write.arrive()).isInstanceOfSatisfying(CasResult.Applied.class, write::answer);
        }

        private void assertNothingIsIssuedInTheSharedSpan(int worker) {
            IdParts id;
            try {
                id = process.issue();
            } catch (SnowflakeException e) {
                return;
            }
            assertThat(id.workerId() == worker && id.timestamp().isBefore(shared))
                    .as("%s is issued, though a copy may issue until %s", id, shared)
                    .isFalse();
        }

        private void assertElsewhere(IdParts id, int worker) {
            assertThat(id.workerId() != worker || !id.timestamp().isBefore(shared))
                    .as("%s, of which a copy may issue until %s", id, shared)
                    .isTrue();
        }

        /** Asserts this once the write is won. */
        private void assertGetsAnIdElsewhere(Actor.Call call, Request write, int worker) {
            process.wire.release(Kind.EXTEND);
            process.wire.release(Kind.CLAIM);
            write.answer(write.arrive());
            assertElsewhere(call.await(), worker);
            stage.assertSafe();
        }

        // ids went on in the span that had been granted to the copy too
        @ParameterizedTest
        @EnumSource(Failure.class)
        void issuesNothingInTheSharedSpanThoughItsClaimFails(Failure failure) {
            openWithAFullWindow();
            int worker = process.workerId();
            winTheWriteAfterAJump(failure);

            for (int i = 0; i < 100; i++) {
                stage.sleep(Duration.ofMillis(100));
                assertNothingIsIssuedInTheSharedSpan(worker);
            }

            stage.assertSafe();
        }

        // the coordinator's time seemed to show that no time was missed: it had been off by just as much before
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void writesFirstIfTheCoordinatorsClockWasOffByWhatWasMissed(boolean fromTheStart) {
            process.machine.stepClock(Duration.ofSeconds(fromTheStart ? 3 : 0));
            openWithAFullWindow();
            process.machine.stepClock(Duration.ofSeconds(fromTheStart ? 0 : 3));
            process.startCall().await();
            stage.sleep(Duration.ofSeconds(30));
            process.wire.hold(Kind.EXTEND);
            stage.store.timeAhead = Duration.ofSeconds(3);
            process.machine.stepClock(Duration.ofSeconds(-20));

            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofSeconds(1));

            assertThat(call.isOver()).isFalse();
        }

        // the coordinator's clock ran as before, to the second
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void writesFirstIfTheCoordinatorShowsThatMostOfASecondWasMissed(boolean answersSlowly) {
            openWithAFullWindow();
            process.startCall().await();
            stage.sleep(Duration.ofSeconds(30));
            process.wire.hold(Kind.EXTEND);
            if (answersSlowly) {
                process.wire.reads = seen -> {
                    stage.sleep(Duration.ofMillis(700));
                    return seen;
                };
            }
            stage.store.timeAhead = Duration.ofMillis(800);
            process.machine.stepClock(Duration.ofSeconds(-20));

            Actor.Call call = process.startCall();
            stage.sleep(Duration.ofSeconds(2));

            // The call may fail where the write was under way when the clock stepped.
            assertThat(call.isOver() && call.failure().isEmpty()).as("an id").isFalse();
        }

        // ids began again at the end of the window, though other worker ids were free
        @Test
        void goesElsewhereByTheTimeInUseThoughTheClockWasSetBack() {
            openWithAFullWindow();
            stage.store.tellsTime = false;
            int worker = process.workerId();
            process.machine.stepClock(Duration.ofHours(-1));

            IdParts id = process.startCall().await();

            assertThat(id.workerId()).isNotEqualTo(worker);
            assertThat(id.timestamp())
                    .isBetween(
                            stage.world.trueTime().minusSeconds(1),
                            stage.world.trueTime().plusSeconds(1));
            stage.assertSafe();
        }

        // the process took the worker id of a live one, and had no ids until that one's window ended
        @Test
        void takesNoWorkerIdFromALiveProcessByAClockThatIsAheadAndNotBelieved() {
            openWithAFullWindow();
            stage.keys.put("snowflake.worker-ids", "0-1");
            stage.store.tellsTime = false;
            List<Actor> both = List.of(stage.process(), stage.process());
            process.close();
            stage.sleep(Duration.ofMinutes(2));
            both.forEach(Actor::startOpening);
            stage.sleep(Duration.ofMinutes(2));
            int neighbour = both.get(1).workerId();
            String owner = stage.store.owners.get(neighbour).value();
            both.get(0).machine.stepClock(Duration.ofDays(1));

            Actor.Call unused = both.get(0).startCall();
            stage.sleep(Duration.ofSeconds(5));

            assertThat(stage.store.owners.get(neighbour).value()).isEqualTo(owner);
            stage.assertSafe();
        }

        // the copy gave the worker id back, and another process was granted the ticks that the original went on to
        // issue
        @Test
        void givesNothingBackThatItsOriginalMayHold() {
            openWithAFullWindow();
            process.issue();
            int worker = process.workerId();
            long limit = stage.store.mark(worker).limit();

            process.machine.stepClock(Duration.ofSeconds(5));
            process.close();

            assertThat(stage.store.mark(worker).limit()).isEqualTo(limit);
            assertThat(stage.store.owners).doesNotContainKey(worker);
        }

        // the write after the first step was taken to settle the second one too, though a copy made by then knew of it
        @Test
        void findsTheCopyThatIsMadeWhileItIsLeaving() {
            stage.keys.putAll(Map.of(
                    "snowflake.window", "PT60S",
                    "snowflake.startup-timeout", "PT90S",
                    "snowflake.worker-ids", "0-0"));
            process.open();
            stage.sleep(Duration.ofMinutes(2));
            winTheWriteAfterAJump(Failure.READ_FAILS);
            stage.sleep(Duration.ofSeconds(5));
            Mark written = Mark.parse(stage.store.marks.get(0));

            Mark ofCopy = Mark.next(
                    written.pairs(),
                    written.limit() + 10_000,
                    written.token(),
                    written.count() + 1,
                    written.from(),
                    stage.world.trueTime(),
                    SnowflakeLayout.STANDARD,
                    1);
            stage.store.marks.put(0, new Stored(ofCopy.value(), 1));
            process.machine.stepClock(Duration.ofSeconds(5));
            process.wire.heal();

            assertThat(process.startCall().awaitFailure()).isInstanceOf(CoordinatorRegressedException.class);
        }

        // the write after the first step was taken to rule out a copy at the second step; and a step back to a time
        // still ahead was ignored, though that is how a copy looks whose clock was set right while it missed time
        @ParameterizedTest
        @ValueSource(longs = {5, -3})
        void writesAgainForAStepThatComesWhileItIsLeaving(long seconds) {
            openWithAFullWindow();
            process.wire.hold(Kind.CLAIM);
            process.wire.hold(Kind.EXTEND);
            process.machine.stepClock(Duration.ofSeconds(5));
            Actor.Call call = process.startCall();
            Request first = process.wire.next();
            first.answer(first.arrive());
            Request elsewhere = process.wire.next();
            process.machine.stepClock(Duration.ofSeconds(seconds));

            elsewhere.answer(elsewhere.arrive());
            Request second = process.wire.next();

            assertThat(call.isOver()).isFalse();
            process.wire.release(Kind.EXTEND);
            process.wire.release(Kind.CLAIM);
            second.answer(second.arrive());
            // The call may fail: a clock that was set back may leave it too few ids.
            stage.until("an answer", call::isOver);
            stage.assertSafe();
        }

        // time ran on by the monotonic clock, which had stood still in the image: ids of the shared span were issued at
        // once
        @Test
        void waitsForAClockThatIsFarBehindTheLastIdUntilAWriteWasWon() {
            stage.keys.put("snowflake.clock.on-rollback", "wait");
            stage.store.tellsTime = false;
            openWithAFullWindow();
            process.wire.hold(Kind.CLAIM);
            process.wire.hold(Kind.EXTEND);
            process.issue();
            process.machine.stepClock(Duration.ofSeconds(-20));
            Request write = process.wire.next();
            stage.sleep(Duration.ofSeconds(5));

            assertThatThrownBy(process::issue).isInstanceOf(SnowflakeException.class);
            write.lose();
        }

        // callers did not know what the keeper had seen, and their clock was not ahead any more
        @Test
        void issuesNothingInTheSharedSpanThoughTheClockStepsBackMeanwhile() {
            openWithAFullWindow();
            process.wire.hold(Kind.CLAIM);
            process.wire.hold(Kind.EXTEND);
            int worker = process.workerId();
            shared = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(worker).limit());
            process.machine.stepClock(Duration.ofSeconds(5));
            Actor.Call call = process.startCall();
            Request write = process.wire.next();
            process.machine.stepClock(Duration.ofSeconds(-7));
            stage.sleep(Duration.ofSeconds(1));

            assertThat(call.isOver()).isFalse();
            assertGetsAnIdElsewhere(call, write, worker);
        }

        // a clock that was only behind raised no doubt: once it reached the time of the image, ids of the shared span
        // were issued
        @Test
        void issuesNothingInTheSharedSpanThoughTheClockIsFarBehind() {
            stage.store.tellsTime = false;
            openWithAFullWindow();
            process.wire.hold(Kind.CLAIM);
            process.wire.hold(Kind.EXTEND);
            int worker = process.workerId();
            shared = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(worker).limit());
            process.machine.stepClock(Duration.ofSeconds(-20));
            Actor.Call call = process.startCall();
            Request write = process.wire.next();

            assertThat(call.awaitFailure()).hasMessageContaining("the system clock stepped");
            Instant later = stage.world.trueTime().plusSeconds(30);
            while (stage.world.trueTime().isBefore(later)) {
                assertThatThrownBy(process::issue).isInstanceOf(SnowflakeUnavailableException.class);
                stage.sleep(Duration.ofMillis(100));
            }
            process.wire.release(Kind.EXTEND);
            process.wire.release(Kind.CLAIM);
            write.answer(write.arrive());
            stage.sleep(Duration.ofSeconds(1));
            assertNothingIsIssuedInTheSharedSpan(worker);
            stage.assertSafe();
        }

        // the time of an answer that took a second was compared with the time at its end: two seconds seemed to be one
        @Test
        void issuesNothingInTheSharedSpanThoughTheCoordinatorAnswersSlowly() {
            openWithAFullWindow();
            process.wire.hold(Kind.CLAIM);
            process.wire.hold(Kind.EXTEND);
            int worker = process.workerId();
            shared = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(worker).limit());
            Duration missed = Duration.ofMillis(1900);
            process.wire.reads = seen -> {
                stage.sleep(Duration.ofMillis(1700));
                Instant time = Objects.requireNonNull(seen.serverTime()).plus(missed);
                return new Snapshot(seen.meta(), seen.slots(), time);
            };
            process.machine.stepClock(missed.minusSeconds(12));
            Actor.Call call = process.startCall();
            Request write = process.wire.next();

            assertThat(call.awaitFailure()).hasMessageContaining("the system clock stepped");
            process.wire.release(Kind.EXTEND);
            process.wire.release(Kind.CLAIM);
            write.answer(write.arrive());
            stage.sleep(Duration.ofSeconds(10));
            assertNothingIsIssuedInTheSharedSpan(worker);
            stage.assertSafe();
        }

        // the clock was not compared again within a second of what it had shown at the last comparison, though fifteen
        // seconds had passed since then
        @Test
        void issuesNothingInTheSharedSpanThoughTheClockShowsATimeThatWasFoundRight() {
            stage.store.tellsTime = false;
            openWithAFullWindow();

            assertIssuesNothingAtATimeThatWasShownBefore(Duration.ofSeconds(15));
        }

        // the same with a clock that is not believed, while ids go on by the time in use: the keeper looks at that
        // clock more often
        @Test
        void issuesNothingInTheSharedSpanThoughAClockInDoubtShowsATimeThatWasLookedAt() {
            stage.store.tellsTime = false;
            openWithAFullWindow();
            process.machine.stepClock(Duration.ofHours(1));
            process.startCall().await();

            assertIssuesNothingAtATimeThatWasShownBefore(Duration.ofSeconds(3));
        }

        /** Sets the clock back to half a second after the last call's look at it. */
        private void assertIssuesNothingAtATimeThatWasShownBefore(Duration sinceThen) {
            int worker = process.workerId();
            Stored before = stage.store.marks.get(worker);
            stage.until("an extension", () -> !stage.store.marks.get(worker).equals(before));
            stage.sleep(Duration.ofSeconds(1));
            process.issue();
            stage.sleep(sinceThen);
            process.wire.hold(Kind.CLAIM);
            process.wire.hold(Kind.EXTEND);
            shared = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(worker).limit());

            process.machine.stepClock(Duration.ofMillis(500).minus(sinceThen));
            Actor.Call call = process.startCall();
            Request write = process.wire.next();

            assertThat(call.isOver()).isFalse();
            assertGetsAnIdElsewhere(call, write, worker);
        }

        // as the two above, while the keeper is in a call and forgets nothing
        @Test
        void issuesNothingAtATimeThatWasFoundRightWhileTheKeeperIsInACall() {
            stage.store.tellsTime = false;
            openWithAFullWindow();

            assertIssuesNothingWhileTheKeeperIsInACall(Duration.ofSeconds(21), Duration.ofSeconds(15));
        }

        @Test
        void issuesNothingAtATimeThatAClockInDoubtShowedWhileTheKeeperIsInACall() {
            stage.store.tellsTime = false;
            openWithAFullWindow();
            process.machine.stepClock(Duration.ofHours(1));
            process.startCall().await();

            assertIssuesNothingWhileTheKeeperIsInACall(Duration.ofSeconds(6), Duration.ofSeconds(3));
        }

        /** @param until by then the keeper makes a call */
        private void assertIssuesNothingWhileTheKeeperIsInACall(Duration until, Duration sinceThen) {
            process.wire.hangs = true;
            stage.sleep(until);
            process.issue();
            stage.sleep(sinceThen);

            process.machine.stepClock(Duration.ofMillis(500).minus(sinceThen));

            assertThat(process.startCall().awaitFailure()).isNotNull();
            process.wire.hangs = false;
            stage.until("an id", () -> process.startCall().await() != null);
            stage.assertSafe();
        }

        // callers went by the time in use, and took the clock for what it had shown since its first step
        @Test
        void issuesNothingInTheSharedSpanThoughAClockInDoubtIsSetBack() {
            stage.store.tellsTime = false;
            openWithAFullWindow();
            process.machine.stepClock(Duration.ofSeconds(14));
            process.startCall().await();
            int worker = process.workerId();
            process.wire.hold(Kind.CLAIM);
            process.wire.hold(Kind.EXTEND);
            shared = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(worker).limit());

            process.machine.stepClock(Duration.ofSeconds(-6));
            Actor.Call call = process.startCall();
            Request write = process.wire.next();

            assertThat(call.isOver()).isFalse();
            assertGetsAnIdElsewhere(call, write, worker);
        }

        // the clock was past the shared span when it was left, and came back into it
        @Test
        void issuesNothingInTheSharedSpanThoughTheClockComesBackIntoItAfterwards() {
            stage.keys.putAll(Map.of(
                    "snowflake.window", "PT60S",
                    "snowflake.startup-timeout", "PT90S",
                    "snowflake.startup-ahead", "PT0S",
                    "snowflake.worker-ids", "0-0"));
            process.open();
            stage.sleep(Duration.ofMinutes(2));
            shared = SnowflakeLayout.STANDARD.instantOf(stage.store.mark(0).limit());
            Duration missed = Duration.between(stage.world.trueTime(), shared).plusSeconds(3);
            stage.store.timeAhead = missed;
            process.machine.stepClock(missed);
            stage.store.hintLoss();
            stage.sleep(Duration.ofMillis(500));
            assertThat(stage.store.mark(0).limit())
                    .isGreaterThan(SnowflakeLayout.STANDARD.tickOf(shared.toEpochMilli()));

            process.machine.stepClock(Duration.ofSeconds(-9));

            assertNothingIsIssuedInTheSharedSpan(0);
        }

        // the process gives back nothing that a copy may be issuing
        @ParameterizedTest
        @EnumSource(Failure.class)
        void givesBackNothingOfTheSharedSpanThoughItsClaimFails(Failure failure) {
            openWithAFullWindow();
            int worker = process.workerId();
            winTheWriteAfterAJump(failure);
            stage.sleep(Duration.ofSeconds(5));

            process.close();

            Mark left = Mark.parse(new Stored(stage.store.marks.get(worker).value(), 0));
            assertThat(SnowflakeLayout.STANDARD.instantOf(left.limit())).isAfterOrEqualTo(shared);
            stage.assertSafe();
        }

        // ids came back, but in the shared span
        @ParameterizedTest
        @EnumSource(
                value = Failure.class,
                names = {"EXCEPTION", "RUNTIME_EXCEPTION", "ERROR", "READ_FAILS"})
        void goesOnOutsideOfTheSharedSpanOnceAClaimCanSucceed(Failure failure) {
            openWithAFullWindow();
            int worker = process.workerId();
            winTheWriteAfterAJump(failure);
            stage.sleep(Duration.ofSeconds(10));

            process.wire.heal();
            stage.sleep(Duration.ofSeconds(5));

            assertElsewhere(process.issue(), worker);
            stage.assertSafe();
        }
    }

    /** Another process was granted the ticks after the window, so that no write of a copy can decide between the two copies. */
    @Nested
    class TakenOver {

        private final Stage stage = Stage.ofDefaults(1);
        private final Actor process = stage.process();

        private int openWithAFullWindow(String workerIds) {
            stage.keys.put("snowflake.worker-ids", workerIds);
            // A coordinator that told the time would show that no time has passed unseen.
            stage.store.tellsTime = false;
            process.open();
            stage.sleep(Duration.ofMinutes(2));
            return process.workerId();
        }

        private void assertIssuesNothing() {
            process.machine.stepClock(Duration.ofSeconds(5));

            assertThat(process.startCall().awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
            stage.assertSafe();
        }

        @Test
        void beforeTheClockStepsItIssuesNothingMoreOfItsWindow() {
            stage.store.takeOver(openWithAFullWindow("0"), 60_000);
            stage.until("noticed", () -> process.ids().status().lastError().isPresent());
            process.issue();

            assertIssuesNothing();
        }

        @Test
        void whatIsFoundOutAfterAStepOfTheClockEndsItsWindow() {
            int worker = openWithAFullWindow("0-1");
            process.wire.hold(Kind.CLAIM);
            stage.store.takeOver(worker, 60_000);

            assertIssuesNothing();
        }
    }
}
