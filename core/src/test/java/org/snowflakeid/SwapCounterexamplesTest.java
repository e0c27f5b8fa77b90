// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Stage.Actor;

/**
 * The shortest schedules by which a generator that swaps one lease for another goes wrong without one of its rules, as TLC found
 * them in HotPath.tla, step by step: threads stand still between reading the clock and using it. The name of the model's
 * configuration stands above each test; numbers are the states of its trace.
 */
class SwapCounterexamplesTest {

    private final Stage stage = new Stage();
    private final Actor process = stage.process();
    private int first;

    @BeforeEach
    void open() {
        stage.keys.put("snowflake.worker-ids", "0-1");
        stage.keys.put("snowflake.startup-ahead", "PT0S");
        process.open();
        first = process.workerId();
    }

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    /** Another process takes the worker id over, behind the limit, which the next extension will show. */
    private void takeOver() {
        stage.store.owners.clear();
        stage.keys.put("snowflake.worker-ids", String.valueOf(first));
        stage.keys.put("snowflake.startup-ahead", "PT1M");
        stage.process().open();
    }

    private boolean isSealed() {
        return process.ids().status().workerId().isEmpty();
    }

    private void awaitSwap() {
        stage.until("swapped", () -> !isSealed() && process.workerId() != first);
    }

    private Instant end() {
        return process.ids().status().reservedUntil().orElseThrow();
    }

    // hot_noseal_order, with the whole swap between the call's look at the clock and its end; only the interleavings
    // can stop the keeper between the steps of a swap
    @Test
    void callThatReadItsClockBeforeTheSwapIssuesUnderTheNextLease() {
        takeOver();
        Actor.Call call = process.startCallStoppedAtClock(end().minusMillis(1));
        awaitSwap();

        call.goOn();

        assertThat(call.await().workerId()).isEqualTo(1 - first);
    }

    // hot_globallimit
    @Test
    void limitOfTheNextLeaseDoesNotCountForTheOneBefore() {
        takeOver();
        Instant beyond = end().plusMillis(500);
        Actor.Call call = process.startCallStoppedAtClock(beyond); // 2, 3, 8, 9
        awaitSwap(); // 4-6
        assertThat(end()).isAfter(beyond); // 7

        call.goOn(); // 10

        assertThat(call.await().workerId()).isEqualTo(1 - first);
    }

    // hot_globallimit, without a swap: beyond its own limit nothing is issued
    @Test
    void noClockGetsAnIdBeyondTheLimit() {
        process.wire.hold(Wire.Kind.EXTEND);
        Instant end = end();

        assertThatThrownBy(() -> process.issueAt(end)).isInstanceOf(SnowflakeUnavailableException.class);

        assertThat(process.issueAt(end.minusMillis(1)).timestamp()).isBefore(end);
    }

    // hot_nostartabove
    @Test
    void nextLeaseStartsAboveWhatWasIssuedBeforeItsClaim() {
        takeOver();
        IdParts earlier = process.issueAt(end().minusMillis(1)); // 2-8
        awaitSwap(); // 9-12

        IdParts later = process.issue(); // 13-18

        assertThat(later.timestamp()).isAfter(earlier.timestamp());
    }

    // hot_nostartabove
    @Test
    void nextLeaseStartsAboveWhatWasIssuedAfterItsClaim() {
        process.wire.hold(Wire.Kind.CLAIM);
        takeOver();
        Wire.Request claim = process.wire.next();
        IdParts earlier = process.issueAt(end().minusMillis(1)); // 2-8
        claim.answer(claim.arrive());
        awaitSwap(); // 9-12

        IdParts later = process.issue(); // 13-18

        assertThat(later.timestamp()).isAfter(earlier.timestamp());
    }
}
