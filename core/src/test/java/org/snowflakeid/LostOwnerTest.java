// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeEvent.Claimed;
import org.snowflakeid.SnowflakeEvent.Lost;
import org.snowflakeid.SnowflakeEvent.Swapped;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.spi.CasResult;

/** The owner entry of the worker id in use is gone, and the claim to get it again is not answered, or fails at first. */
class LostOwnerTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();
    private final List<String> heard = new ArrayList<>();

    @BeforeEach
    void open() {
        stage.keys.put("snowflake.worker-ids", "0");
        stage.keys.put("snowflake.window", "PT30S");
        process.listener = event -> heard.add(event.getClass().getSimpleName());
        process.open();
        stage.sleep(Duration.ofMinutes(1));
    }

    @AfterEach
    void assertSafe() {
        process.issueFor(Duration.ofMinutes(1));
        stage.assertSafe();
    }

    /** The coordinator doesn't report the loss: the next extension finds out, and a claim follows it. */
    private Request claimAfterTheOwnerEntryIsGone() {
        process.wire.hold(Kind.CLAIM);
        stage.store.owners.clear();
        Request claim = process.wire.next();
        process.wire.release(Kind.CLAIM);
        return claim;
    }

    private boolean isOwned() {
        return stage.store.owner(0) != null;
    }

    // the claim was repeated only at the next extension, a third of a window later: until then others could claim the
    // worker id
    @Test
    void aClaimThatGotLostIsSentAgainSoon() {
        Request claim = claimAfterTheOwnerEntryIsGone();

        claim.lose();

        stage.within(Duration.ofSeconds(3), "owned again", this::isOwned);
        assertThat(process.ids().status().lastError()).isEmpty();
    }

    // the loss was reported, but neither its end nor the next loss
    @Test
    void eachLossAndItsEndAreReportedThoughTheAnswerToTheClaimIsLost() {
        for (int losses = 0; losses < 2; losses++) {
            Request claim = claimAfterTheOwnerEntryIsGone();
            claim.answer(claim.arrive());
            claim = claimAfterTheOwnerEntryIsGone();
            assertThat(claim.arrive()).isInstanceOf(CasResult.Applied.class);
            claim.lose();
            stage.sleep(Duration.ofSeconds(12));
        }

        assertThat(heard).hasSize(9).startsWith(Claimed.class.getSimpleName());
        for (int i = 1; i < heard.size(); i += 2) {
            assertThat(heard.subList(i, i + 2))
                    .containsExactly(Lost.class.getSimpleName(), Swapped.class.getSimpleName());
        }
    }

    // once another entry had been in the way, a process went without an owner entry for good
    @Test
    void theOwnerEntryIsGotAgainWhenAnotherIsInTheWayNoMore() {
        stage.store.owners.put(0, new FakeStore.Held("token=another", this, Long.MAX_VALUE));
        stage.until("noticed", () -> process.ids().status().lastError().isPresent());
        stage.sleep(Duration.ofSeconds(30));

        stage.store.owners.clear();

        stage.within(Duration.ofSeconds(11), "owned again", this::isOwned);
        assertThat(stage.store.owner(0)).contains(stage.store.mark(0).token());
    }

    // it was written without a pause for as long as there was no other worker id
    @Test
    void theCoordinatorIsNotAskedWithoutAPauseWhileAnotherEntryIsInTheWay() {
        stage.store.owners.put(0, new FakeStore.Held("token=another", this, Long.MAX_VALUE));
        stage.until("noticed", () -> process.ids().status().lastError().isPresent());
        int before = stage.store.writes;

        stage.sleep(Duration.ofSeconds(30));

        assertThat(stage.store.writes - before).isBetween(3, 100);
    }

    // each call that failed had it read once more
    @Test
    void theCoordinatorIsNotReadWithoutAPauseWhileCallsFail() {
        stage.store.takeOver(0, 90_000);
        stage.until("used up", () -> process.ids().status().state() == State.SUSPENDED);
        Actor.Call first = process.startCall();
        stage.until("calls fail at once", first::isOver);
        boolean[] over = {false};
        Thread unused = process.machine.start("caller", () -> {
            while (!over[0]) {
                assertThat(process.startCall().awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
                stage.sleep(Duration.ofMillis(5));
            }
        });
        int before = stage.store.slotsRead;

        stage.sleep(Duration.ofSeconds(10));

        over[0] = true;
        assertThat(stage.store.slotsRead - before).isBetween(3, 60);
        stage.until("ids again", () -> process.ids().status().state() == State.ACTIVE);
    }
}
