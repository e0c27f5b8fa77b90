// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;

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
        told.open();
        workerId = told.workerId();
        stage.sleep(Duration.ofSeconds(30));
    }

    /** Each copy of the machine goes on as a process that is started there. */
    private boolean twoCopiesIssueAnIdTwice() {
        Actor one = stage.process();
        Actor other = stage.process();
        one.disk.imageOf(told.disk);
        other.disk.imageOf(told.disk);
        one.startOpening();
        other.startOpening();
        stage.sleep(Duration.ofSeconds(30));
        return one.isDecided()
                && other.isDecided()
                && one.ids().nextId() == other.ids().nextId();
    }

    @Nested
    class WhileTheCoordinatorDoesNotAnswer {

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

            assertThatThrownBy(() -> told.ids().beforeCheckpoint()).hasMessageContaining("could not be ended");

            told.disk.hangs = false;
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
