// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.spi.CasResult;

/**
 * The shortest schedules by which a local file for restarts leads to a duplicate if one of its rules is missing, as TLC found them: {@code
 * Ticket.tla}. Numbers are the steps of COUNTEREXAMPLES.md; A and A' are on one host, B is on another.
 */
class ResumeCounterexamplesTest {

    private final Stage stage = new Stage();
    private final Actor a = stage.process();
    private final Actor aAgain = stage.processOnHostOf(a);
    private final Actor b = stage.process();
    private final SimulatedDisk disk = a.disk;

    @BeforeEach
    void set() {
        stage.keys.putAll(Map.of("snowflake.resume.directory", "/resume", "snowflake.window", "PT60S"));
        stage.keys.put("snowflake.startup-timeout", "PT90S");
    }

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private long lo() {
        return disk.note(0).lo();
    }

    private Instant at(long tick) {
        return SnowflakeLayout.STANDARD.instantOf(tick);
    }

    // ticket_nolock
    @Test
    void noProcessTakesOverFromOneThatRuns() {
        a.open(); // 1
        long first = lo(); // 2
        stage.store.down = true;
        aAgain.startOpening(); // 3
        stage.until("noted", () -> lo() > first); // 4
        a.issueAt(at(first)); // 5
        stage.sleep(Duration.ofSeconds(10));
        assertThat(aAgain.isDecided()).isFalse(); // 6: it has nothing to use, and does not start

        assertThat(aAgain.awaitRefusal()).isInstanceOf(CoordinatorException.class);
        a.crash();
    }

    // ticket_nowriteahead
    @Test
    void nothingIsIssuedBeforeTheFileSaysSo() {
        a.open(); // 1
        a.issueFor(Duration.ofSeconds(30));
        disk.stuck = true; // 2: the next write does not get there
        long noted = lo();
        stage.until("the clock is there", () -> !stage.world.trueTime().isBefore(at(noted)));
        Actor.Call call = a.startCall(); // 3
        stage.sleep(Duration.ofSeconds(1));
        assertThat(call.isOver()).isFalse();
        a.crash(); // 4
        assertThat(lo()).isEqualTo(noted);
        disk.stuck = false;
        stage.store.down = true;
        aAgain.open(); // 5
        IdParts first = aAgain.issueAt(at(noted)); // 6, 7

        assertThat(first.timestamp()).isAfterOrEqualTo(at(noted));
    }

    // As above, by a clock that was not there yet: the note decides what is issued, the clock only when.
    @Test
    void theNextBeginsWhereTheNoteSaysAndNotBeforeItsClockIsThere() {
        a.open();
        long noted = lo();
        a.issueAt(at(noted).minusMillis(1));
        a.crash();
        stage.store.down = true;
        aAgain.holdClock(at(noted).minusMillis(1));
        aAgain.startOpening();
        stage.sleep(Duration.ofSeconds(3));
        assertThat(aAgain.isDecided()).isFalse();

        aAgain.holdClock(at(noted));
        aAgain.awaitOpen();

        assertThat(aAgain.issue().timestamp()).isAfterOrEqualTo(at(noted));
    }

    // The clock was there, and was set back before the first id.
    @Test
    void theNextIssuesNothingBelowTheNoteThoughItsClockIsSetBack() {
        a.open();
        long noted = lo();
        a.issueAt(at(noted).minusMillis(1));
        a.crash();
        stage.store.down = true;
        aAgain.holdClock(at(noted));
        aAgain.open();
        aAgain.holdClock(at(noted).minusMillis(200));

        Actor.Call call = aAgain.startCall();
        stage.sleep(Duration.ofMillis(100));
        aAgain.holdClock(at(noted));

        assertThat(call.await().timestamp()).isAfterOrEqualTo(at(noted));
    }

    @Test
    void aProcessThatTookOverAndIssuedNothingGivesBackNothingThatItsPredecessorUsed() {
        a.open();
        long noted = lo();
        a.issueAt(at(noted).minusMillis(1));
        a.crash();
        stage.store.down = true;
        aAgain.open();
        stage.store.down = false;
        stage.until("extended", () -> aAgain.ids().status().lastError().isEmpty());

        aAgain.close();

        assertThat(stage.store.mark(0).limit()).isGreaterThanOrEqualTo(noted);
        b.open();
        assertThat(b.issue().timestamp()).isAfterOrEqualTo(at(noted));
    }

    // ticket_trimfirst
    @Test
    void theFileIsGoneBeforeTheMarkIsLowered() {
        a.open(); // 1, 2
        long noted = lo();
        a.wire.hold(Kind.RELEASE);
        a.startClosing(); // 3
        Request trim = a.wire.next();
        assertThat(disk.has(0)).isFalse();
        assertThat(trim.arrive()).isInstanceOf(CasResult.Applied.class); // 4
        assertThat(stage.store.mark(0).limit()).isLessThan(noted);
        a.crash(); // 7
        b.open(); // 5
        b.issueAt(at(noted).plusMillis(1)); // 6
        stage.store.down = true;
        aAgain.startOpening(); // 8

        assertThat(aAgain.awaitRefusal()).isInstanceOf(CoordinatorException.class); // 9, 10
    }

    // ticket_copied
    @Test
    void aFileThatWasPutBackIsRefused() {
        a.open(); // 1
        long noted = lo(); // 2
        Map<Integer, Map<Long, SimulatedDisk.File>> copy = disk.copy(); // 3
        stage.until("noted", () -> lo() > noted); // 4
        a.issueAt(at(noted)); // 5
        a.crash(); // 6
        disk.putBack(copy); // 7
        stage.store.down = true;
        aAgain.startOpening(); // 8

        assertThat(aAgain.awaitRefusal()).isInstanceOf(CoordinatorException.class); // 9, 10
    }

    // its last write may not have been noted any more
    @Test
    void theLastWriteOfTheProcessBeforeMakesNoNoteVoid() {
        a.open();
        stage.sleep(Duration.ofSeconds(15));
        disk.stuck = true;
        long granted = stage.store.mark(0).limit();
        stage.until("an extension", () -> stage.store.mark(0).limit() > granted);
        a.crash();
        disk.repair();
        stage.sleep(Duration.ofSeconds(10));
        aAgain.wire.reads = seen -> {
            aAgain.wire.cut = true;
            return seen;
        };

        aAgain.open();

        aAgain.issue();
    }

    // between two looks at the record, the second since the first one asked for a longer window
    @Test
    void aRecordThatAnOperatorRestoresMeanwhileIsNotJoined() {
        a.open();
        stage.sleep(Duration.ofSeconds(60));
        stage.store.down = true;
        a.crash();
        stage.keys.putAll(Map.of("snowflake.window", "PT90S", "snowflake.startup-timeout", "PT150S"));
        aAgain.open();
        aAgain.issue();
        NamespaceRecord old = NamespaceRecord.parse(stage.store.meta);
        aAgain.wire.hold(Kind.META);
        stage.store.down = false;
        Request widening = aAgain.wire.next();
        long floor = Math.max(
                        old.layout().tickOf(stage.world.trueMillis()),
                        stage.store.mark(0).limit())
                + 60_000;
        stage.store.putMeta(old.retired());
        stage.store.putMeta(NamespaceRecord.parse(stage.store.meta)
                .restored("feedfeedfeedfeedfeedfeedfeedfeed", Duration.ofSeconds(60), floor));

        assertThat(widening.arrive()).isInstanceOf(CasResult.Rejected.class);
        widening.lose();
        aAgain.wire.release(Kind.META);
        stage.sleep(Duration.ofMinutes(5));

        assertThat(aAgain.startCall().awaitFailure())
                .isInstanceOf(CoordinatorRegressedException.class)
                .hasMessageContaining("was restored by its operator");
    }
}
