// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.lease.VettedClock;

/** A start where the coordinator tells no time: marks of other processes may be old although this process's clock is right. */
class ClockAtStartTest {

    private final Stage stage = Stage.ofDefaults(1);

    private List<Actor> openPeers(String window) {
        stage.store.tellsTime = false;
        stage.keys.put("snowflake.window", window);
        List<Actor> peers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Actor peer = stage.process();
            peer.open();
            peers.add(peer);
        }
        stage.sleep(Duration.ofMinutes(30));
        return peers;
    }

    private void untilAllMarksAreOlderThan(Duration age) {
        stage.until("marks are old", () -> {
            Instant latest = stage.world.trueTime().minus(age);
            return stage.store.marks.keySet().stream()
                    .allMatch(id -> stage.store.mark(id).at().isBefore(latest));
        });
    }

    private void assertStartsAtOnce() {
        Actor process = stage.process();

        process.startOpening();
        stage.within(Duration.ofSeconds(2), "open", process::isDecided);

        process.awaitOpen();
        assertThat(process.issue().timestamp())
                .isBetween(
                        stage.world.trueTime().minusSeconds(1),
                        stage.world.trueTime().plusSeconds(1));
        stage.assertSafe();
    }

    // a start was refused because of times written by processes with long windows, which extend rarely
    @Test
    void peersWithALongerWindowDoNotContradictAClockThatIsRight() {
        List<Actor> unused = openPeers("PT10M");
        untilAllMarksAreOlderThan(Duration.ofSeconds(100));

        stage.keys.put("snowflake.window", "PT30S");
        assertStartsAtOnce();
    }

    // a start was refused because of times written by processes that had been killed since
    @Test
    void processesThatWereKilledDoNotContradictAClockThatIsRight() {
        List<Actor> peers = openPeers("PT60S");
        peers.forEach(Actor::crash);
        untilAllMarksAreOlderThan(Duration.ofSeconds(45));

        assertStartsAtOnce();
    }

    // a clock was believed from a look at the namespace before its creation, though the creator's clock contradicted it
    @Test
    void aStartThatFindsTheNamespaceCreatedMeanwhileIsVettedByItsCreator() {
        stage.store.tellsTime = false;
        Actor process = stage.process();
        process.machine.stepClock(Duration.ofDays(1000));
        process.wire.hold(Kind.META);
        process.startOpening();
        Request creation = process.wire.next();
        stage.process().open();
        process.wire.release(Kind.META);

        creation.answer(creation.arrive());
        stage.sleep(Duration.ofSeconds(3));

        assertThat(process.isDecided()).isFalse();
        assertThat(stage.store.marks.keySet())
                .allSatisfy(id -> assertThat(stage.store.mark(id).at())
                        .isBefore(stage.world.trueTime().plusSeconds(1)));
    }

    // an id was dated 30 s ahead by a call that slept while the keeper gave the clock up
    @Test
    void aTimeThatWasReadBeforeTheClockWasGivenUpIsNotBelieved() {
        Actor process = stage.process();
        VettedClock clock = new VettedClock(process, SnowflakeLayout.STANDARD, 10_000);
        assertThat(clock.judge(null, 0, false)).isEqualTo(VettedClock.Verdict.BELIEVED);
        clock.show();
        process.machine.stepClock(Duration.ofSeconds(30));
        long early = clock.tick();
        assertThat(clock.isCredible(early)).isFalse();

        assertThat(clock.isSteady()).isFalse();
        clock.copyExcluded(clock.steps());
        clock.show();

        assertThat(clock.isCredible(early)).isFalse();
        assertThat(clock.isCredible(clock.tick())).isTrue();
    }

    @Test
    void aClockThatStepsAgainWhileItIsLookedAtIsNotBelieved() {
        Actor process = stage.process();
        VirtualWorld.Machine machine = process.machine;
        VettedClock clock = new VettedClock(process, SnowflakeLayout.STANDARD, 10_000);
        assertThat(clock.judge(null, 0, false)).isEqualTo(VettedClock.Verdict.BELIEVED);
        machine.stepClock(Duration.ofSeconds(20));
        assertThat(clock.isSteady()).isFalse();
        stage.sleep(Duration.ofSeconds(11));
        assertThat(clock.isSteady()).isFalse();

        machine.stepClock(Duration.ofDays(1));

        assertThat(clock.judge(null, 0, false)).isEqualTo(VettedClock.Verdict.UNDECIDED);
    }
}
