// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.SharedState;

class SharedStateTest {

    private final SharedState shared = new SharedState("default", Platform.system(), 1);

    private static Lease openLease() {
        Lease lease = new Lease(0, 100);
        lease.open(10, 10, 0, 10);
        return lease;
    }

    // a swap that was under way when the generator was closed
    @Test
    void aLeaseThatIsPublishedAfterCloseIsSealed() {
        CurrentLease inUse = shared.leases().get(0);
        shared.close();

        shared.publish(inUse, openLease());

        assertThat(inUse.get().position()).isEqualTo(Lease.SEALED);
    }

    // the keeper's end would seal the lease too, but later
    @Test
    void noIdIsIssuedAfterABreakdown() {
        CurrentLease inUse = shared.leases().get(0);
        shared.publish(inUse, openLease());

        shared.breakDown(new CoordinatorException("planted", true));

        assertThat(inUse.get().position()).isEqualTo(Lease.SEALED);
    }

    // an Error came between the publication and its note: ids and swaps were counted twice for good
    @Test
    void aLeaseThatIsPublishedAgainCountsOnce() {
        CurrentLease inUse = shared.leases().get(0);
        Lease first = openLease();
        shared.publish(inUse, first);
        assertThat(first.advance(first.position(), 10, 20)).isTrue();
        long issued = inUse.issued();

        shared.publish(inUse, first);
        shared.publish(inUse, openLease());

        assertThat(inUse.issued()).isEqualTo(issued);
        assertThat(inUse.swaps()).isEqualTo(1);
    }

    // callers were told that the coordinator had not answered, while the keeper waited for a disk
    @Test
    void aCallThatWaitsIsToldWhatTheKeeperWaitsFor() {
        assertThat(shared.calls().underWay()).isEmpty();

        Optional<String> told = shared.calls()
                .during("A write", "The file has not been written yet.", Duration.ofSeconds(1), () -> shared.calls()
                        .underWay());
        assertThat(told).contains("The file has not been written yet.");

        assertThat(shared.calls().underWay()).isEmpty();
    }

    // later calls were told what an earlier one had seen
    @Test
    void aRefusedCallIsToldWhatItSawUnlessTheKeeperSaysMore() {
        CurrentLease inUse = shared.leases().get(0);

        assertThat(shared.refusedSince(inUse, "one")).isEqualTo("one");
        assertThat(shared.refusedSince(inUse, "two")).isEqualTo("two");
        assertThat(shared.lastError()).contains("two");

        shared.troubles().noteError("down");
        assertThat(shared.refusedSince(inUse, "three")).isEqualTo("down");
        shared.troubles().noteError(null);
        assertThat(shared.lastError()).isEmpty();
    }

    // the status said for a third of the window that ids were suspended
    @Test
    void aCallThatFailsAfterTheKeeperHasLookedMakesItLookAgain() {
        shared.wantVetting();
        assertThat(shared.takeVettingWanted()).isTrue();

        assertThat(shared.suspendedBy(shared.leases().get(0), "planted")).isEqualTo("planted");

        assertThat(shared.takeVettingWanted()).isTrue();
    }

    @Test
    void aRequestIsTakenOnce() {
        CurrentLease inUse = shared.leases().get(0);

        assertThat(inUse.takeMoreWanted()).isFalse();
        assertThat(inUse.wantMore()).isTrue();
        assertThat(inUse.wantMore()).isFalse();
        assertThat(inUse.takeMoreWanted()).isTrue();
        assertThat(inUse.takeMoreWanted()).isFalse();
    }
}
