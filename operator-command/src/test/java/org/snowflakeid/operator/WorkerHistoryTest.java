// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.operator.MadeUpNamespace.NOON;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerHistoryTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final MadeUpNamespace namespace = new MadeUpNamespace(10);
    private final WorkerHistory history = new WorkerHistory();

    private static Instant at(int seconds) {
        return NOON.plusSeconds(seconds);
    }

    private void read() {
        history.observe(namespace.report(), namespace.now());
        namespace.pass(SECOND);
    }

    private List<String> events() {
        return history.eventsAfter(0, 100).stream()
                .map(event -> event.kind() + " " + event.workerId() + " " + event.host())
                .toList();
    }

    private String who(Instant timestamp) {
        WorkerHistory.Answer answer = history.who(7, timestamp);
        Holder holder = answer.holder();
        return (holder == null ? "unknown" : holder.host()) + (answer.certain() ? "" : "?");
    }

    @Test
    void whatIsThereAtTheFirstReadingIsNoEventAndKnownByItsEntry() {
        namespace.hold(7, "app-1", at(-3_600), at(50));
        read();

        assertThat(events()).isEmpty();
        assertThat(who(at(-1_800))).isEqualTo("app-1");
        assertThat(history.who(7, at(-1_800)).sentence()).contains("says its owner entry", "first saw it at " + NOON);
        assertThat(who(at(-3_601))).isEqualTo("unknown?");
        assertThat(history.who(7, at(-3_601)).sentence()).contains("the history of this command begins at " + NOON);
    }

    @Test
    void aReleaseCutsTheReservationAndALossLeavesItAsItIs() {
        namespace.hold(7, "app-1", at(-10), at(50));
        namespace.hold(8, "app-2", at(-10), at(50));
        read();
        namespace.leave(7, at(1));
        namespace.leave(8, at(50));
        read();

        assertThat(events()).containsExactlyInAnyOrder("released 7 app-1", "lost 8 app-2");
        assertThat(who(NOON)).isEqualTo("app-1");
        assertThat(who(at(1))).isEqualTo("unknown?");
        assertThat(history.who(8, at(49)).holder()).isNotNull();
    }

    @Test
    void theNextHolderBeginsAboveWhatTheOneBeforeHadReserved() {
        namespace.hold(7, "app-1", at(-10), at(50));
        read();
        namespace.leave(7, at(50));
        read();
        namespace.hold(7, "app-2", at(2), at(60));
        read();

        assertThat(events()).containsExactly("lost 7 app-1", "claimed 7 app-2");
        // It may still issue, cut off from the coordinator, up to the end of what it has reserved.
        assertThat(who(at(49))).isEqualTo("app-1");
        assertThat(who(at(50))).isEqualTo("app-2");
        assertThat(who(at(60))).isEqualTo("unknown?");
        assertThat(history.who(7, at(60)).sentence())
                .contains("were granted to host app-2 until " + at(60) + " and no further");
    }

    @Test
    void oneThatFollowsAnotherBetweenTwoReadingsMakesItUncertain() {
        namespace.hold(7, "app-1", at(-10), at(50));
        read();
        namespace.hold(7, "app-2", at(1), at(60));
        read();

        assertThat(events()).containsExactly("released or lost 7 app-1", "claimed 7 app-2");
        assertThat(who(at(0))).isEqualTo("app-1");
        assertThat(who(at(20))).isEqualTo("unknown?");
        assertThat(history.who(7, at(20)).sentence()).contains("Host app-1 or app-2", "changed hands");
        assertThat(who(at(55))).isEqualTo("app-2");
    }

    @Test
    void anEntryThatWasWrittenAnewIsAClaimThoughTheHostIsTheSame() {
        namespace.hold(7, "app-1", at(-10), at(50));
        read();
        namespace.hold(7, "app-1", at(1), at(50));
        read();

        assertThat(events()).containsExactly("released or lost 7 app-1", "claimed 7 app-1");
    }

    @Test
    void whatWasNotReadIsNotKnown() {
        namespace.hold(7, "app-1", at(-10), at(50));
        read();
        namespace.now(at(600));
        namespace.leave(7, at(500));
        read();

        assertThat(events()).containsExactly("released or lost 7 app-1");
        assertThat(who(NOON)).isEqualTo("app-1");
        assertThat(history.who(7, at(30)).sentence()).startsWith("Probably host app-1");
        assertThat(history.who(7, at(30)).certain()).isFalse();
        assertThat(history.who(7, at(400)).sentence()).contains("nothing was read between " + NOON + " and " + at(600));
    }

    @Test
    void aReservationThatStandsWhileNothingWasReadTellsThatNoOtherHostCame() {
        namespace.hold(7, "app-1", at(-10), at(50));
        read();
        namespace.now(at(600));
        namespace.leave(7, at(50));
        read();

        assertThat(events()).containsExactly("lost 7 app-1");
        assertThat(who(at(49))).isEqualTo("app-1");
    }

    @Test
    void keysThatVanishEndATenure() {
        namespace.hold(7, "app-1", at(-10), at(50));
        read();
        namespace.forget(7);
        read();

        assertThat(events()).containsExactly("released or lost 7 app-1");
    }

    @Test
    void namesNoHostThatItHasNotSeen() {
        assertThat(who(NOON)).isEqualTo("unknown?");
        assertThat(history.who(7, NOON).sentence()).contains("Nothing has been read");
        read();
        read();
        read();

        assertThat(history.who(7, at(1)).sentence()).contains("no process was seen holding worker id 7 then");
        assertThat(history.who(7, at(99)).sentence())
                .contains("no process held worker id 7 when last read, at " + at(2));
    }

    @Test
    void anHourIsKept() {
        namespace.hold(7, "app-1", at(-10), at(50));
        read();
        namespace.leave(7, at(1));
        read();
        namespace.now(at(3_600));
        read();
        assertThat(events()).hasSize(1);
        namespace.now(at(3_602));
        read();

        assertThat(events()).isEmpty();
        assertThat(who(NOON)).isEqualTo("unknown?");
        assertThat(history.tenures(7)).isEmpty();
        assertThat(history.begin()).isEqualTo(at(2));
    }

    @Test
    void anEntryWithoutHostOrTimeIsShownAsItIs() {
        assertThat(Holder.of("'nonsense'")).isEqualTo(new Holder("'nonsense'", "'nonsense'", null));
        assertThat(Holder.of("host ? since ?")).isEqualTo(new Holder("host ? since ?", "?", null));
        assertThat(Holder.of("host since since 2026-11-21T12:00:00Z").host()).isEqualTo("since");
    }
}
