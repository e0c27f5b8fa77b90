// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.records.Mark;

/** Checkpoints with a resume folder, which may be part of the image: one in memory is part of that of a machine. */
class CheckpointNotesTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor told = stage.process();
    private int workerId;

    @BeforeEach
    void open() {
        stage.keys.putAll(Map.of(
                "snowflake.resume.directory", "/run/app",
                "snowflake.checkpoint.unreleased", "allow",
                "snowflake.window", "PT10M",
                "snowflake.startup-timeout", "PT20M"));
        told.disk.isTried = true;
        told.open();
        workerId = told.workerId();
        stage.sleep(Duration.ofSeconds(30));
    }

    /** Each copy of the machine goes on as a process that is started there. */
    private boolean twoCopiesIssueAnIdTwice() {
        return twoCopiesIssueAnIdTwice(Duration.ofSeconds(30));
    }

    private boolean twoCopiesIssueAnIdTwice(Duration after) {
        Actor one = stage.process();
        Actor other = stage.process();
        one.disk.imageOf(told.disk);
        other.disk.imageOf(told.disk);
        one.startOpening();
        other.startOpening();
        stage.sleep(after);
        return one.isDecided()
                && other.isDecided()
                && one.ids().nextId() == other.ids().nextId();
    }

    @Nested
    class WhileTheCoordinatorDoesNotAnswer {

        private @Nullable SnowflakeException refusal;

        @BeforeEach
        void loseTheCoordinator() {
            stage.store.down = true;
        }

        @Test
        void noNoteIsLeftThatCopiesGoOnFrom() {
            told.ids().beforeCheckpoint();

            assertThat(told.disk.has(workerId)).isFalse();
            assertThat(twoCopiesIssueAnIdTwice()).isFalse();
        }

        @Test
        void noteThatCanNotBeEndedRefusesTheCheckpointThoughItIsAllowed() {
            told.disk.dead = true;

            assertThatThrownBy(() -> told.ids().beforeCheckpoint())
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining(
                            "no checkpoint: notes in snowflake.resume.directory could not be ended, and copies of this"
                                    + " machine could go on from them. The generator goes on with other worker ids. Try again"
                                    + " when they can be written.");

            told.disk.dead = false;
            told.ids().beforeCheckpoint();
            assertThat(told.disk.has(workerId)).isFalse();
        }

        @Test
        void aDiskThatHangsRefusesItToo() {
            told.disk.hangs = true;

            Instant begun = stage.world.trueTime();

            Thread unused = told.machine.start("checkpoint", () -> {
                try {
                    told.ids().beforeCheckpoint();
                } catch (SnowflakeUnavailableException e) {
                    refusal = e;
                }
            });
            stage.within(Duration.ofSeconds(20), "refusal", () -> refusal != null);

            assertThat(refusal).hasMessageContaining("could not be ended");
            assertThat(Duration.between(begun, stage.world.trueTime())).isLessThan(Duration.ofSeconds(20));
            told.disk.hangs = false;
        }

        // the folder was tried as at a start, though it was known to fail: no ids for good
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void soDoesADiskThatCanNotBeWrittenAndTheGeneratorGoesOn(boolean isRepaired) {
            told.disk.dead = true;

            assertThatThrownBy(() -> told.ids().beforeCheckpoint()).hasMessageContaining("could not be ended");

            told.disk.dead = !isRepaired;
            stage.store.down = false;
            stage.within(
                    Duration.ofMinutes(1),
                    "ids again",
                    () -> told.ids().status().state() == State.ACTIVE);
            told.issueFor(Duration.ofMinutes(1));
        }

        // it stayed sealed, as if a checkpoint were to be made
        @Test
        void soDoesAThreadThatCanNotBeStartedAndTheGeneratorGoesOn() {
            told.beforeThread = name -> {
                if (name.endsWith("-notes")) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
            };

            assertThatThrownBy(() -> told.ids().beforeCheckpoint()).hasMessageContaining("could not be ended");

            stage.store.down = false;
            stage.within(
                    Duration.ofMinutes(1),
                    "ids again",
                    () -> told.ids().status().state() == State.ACTIVE);
            told.issueFor(Duration.ofMinutes(1));
        }
    }

    /** A claim that does not end, and is answered only when the checkpoint was allowed. No other call is answered then. */
    @Test
    void noNoteIsLeftOfAWorkerIdThatIsClaimedTooLate() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        told.close();
        told.open();
        int used = told.workerId();
        int other = 1 - used;
        // It was used by another process, and can be again in two minutes.
        stage.store.putMark(other, stage.store.marks.get(used).value());
        stage.store.takeOver(other, 120_000);
        told.wire.reads = seen -> {
            if (seen.slots().size() > 1) {
                told.wire.hangs = true;
            }
            return seen;
        };
        stage.store.takeOver(used, 5);
        stage.store.owners.put(used, new FakeStore.Held("token=another", this, Long.MAX_VALUE));
        stage.store.hintLoss();
        stage.until("a claim", () -> told.wire.hangs);
        told.ids().beforeCheckpoint();
        told.wire.throwInsteadOf(Kind.READ, 9, new CoordinatorException("no answer", false));

        told.wire.hangs = false;
        stage.until("ended", () -> told.threads.isEmpty());

        Mark claimed = stage.store.mark(other);
        assertThat(claimed.token()).isNotEqualTo("another");
        stage.store.down = true;
        Instant begins = SnowflakeLayout.STANDARD.instantOf(claimed.from());
        assertThat(twoCopiesIssueAnIdTwice(Duration.between(stage.world.trueTime(), begins.plusSeconds(3))))
                .isFalse();
        assertThat(told.disk.has(other)).isFalse();
    }

    /** Nor of a generator that has failed for good. */
    @Nested
    class WhereTheCoordinatorLostData {

        @BeforeEach
        void loseData() {
            told.disk.dead = true;
            stage.store.marks.clear();
            stage.store.hintLoss();
            stage.until("stopped", () -> told.ids().status().state() == State.SUSPENDED);
            stage.until("ended", () -> told.threads.isEmpty());
            assertThat(told.disk.has(workerId)).isTrue();
        }

        @Test
        void noNoteIsLeft() {
            told.disk.dead = false;

            told.ids().beforeCheckpoint();

            stage.store.down = true;
            assertThat(twoCopiesIssueAnIdTwice()).isFalse();
            assertThat(told.disk.has(workerId)).isFalse();
        }

        @Test
        void noteThatCanNotBeEndedRefusesTheCheckpoint() {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> told.ids().beforeCheckpoint())
                        .isInstanceOf(SnowflakeUnavailableException.class)
                        .hasMessage(
                                "snowflake 'default': no checkpoint: notes in snowflake.resume.directory could not be"
                                        + " ended, and copies of this machine could go on from them. Try again when they can be"
                                        + " written.");
            }

            assertThatThrownBy(() -> told.ids().nextId()).isInstanceOf(CoordinatorRegressedException.class);
        }
    }

    /** Nor of one whose notes could not be ended when it was given up, two worker ids ago. */
    @Test
    void noNoteIsLeftOfAWorkerIdThatWasGivenUp() {
        stage.store.tellsTime = false;
        told.disk.full = true;
        told.disk.dead = true;
        stepBackToAnotherWorkerId();
        assertThat(told.disk.has(workerId)).isTrue();
        told.disk.repair();
        stepBackToAnotherWorkerId();

        told.ids().beforeCheckpoint();

        assertThat(told.disk.has(workerId)).isFalse();
        assertThat(stage.store.owners).isEmpty();
    }

    private void stepBackToAnotherWorkerId() {
        int before = told.workerId();
        told.machine.stepClock(Duration.ofMinutes(-5));
        stage.within(
                Duration.ofMinutes(2),
                "another worker id",
                () -> told.ids().status().workerId().orElse(before) != before);
    }

    /** A process that was killed before has left one. It is in every copy. */
    @Test
    void aRestoredProcessTakesNothingOver() {
        Actor killed = stage.process();
        killed.disk = told.disk;
        killed.open();
        stage.sleep(Duration.ofSeconds(30));
        killed.crash();
        told.ids().beforeCheckpoint();
        stage.store.down = true;

        Thread unused = told.machine.start("restore", () -> told.ids().afterRestore());
        stage.sleep(Duration.ofSeconds(30));

        assertThat(told.ids().status().state()).isEqualTo(State.SUSPENDED);
        stage.store.down = false;
        stage.within(
                Duration.ofMinutes(1), "ids again", () -> told.ids().status().state() == State.ACTIVE);
        told.issueFor(Duration.ofMinutes(1));
    }
}
