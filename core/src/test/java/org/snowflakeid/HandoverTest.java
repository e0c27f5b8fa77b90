// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HandoverTest {

    private final Handover handover = new Handover("default", Platform.system(), 1);

    private static Lease openLease() {
        Lease lease = new Lease(0, 100);
        lease.open(10, 10, 0, 10);
        return lease;
    }

    // a swap that was under way when the generator was closed
    @Test
    void aLeaseThatIsPublishedAfterCloseIsSealed() {
        LeaseInUse inUse = handover.leases().get(0);
        handover.close();

        handover.publish(inUse, openLease());

        assertThat(inUse.get().position()).isEqualTo(Lease.SEALED);
    }

    @Test
    void aRequestIsTakenOnce() {
        LeaseInUse inUse = handover.leases().get(0);

        assertThat(inUse.takeMoreWanted()).isFalse();
        assertThat(inUse.wantMore()).isTrue();
        assertThat(inUse.wantMore()).isFalse();
        assertThat(inUse.takeMoreWanted()).isTrue();
        assertThat(inUse.takeMoreWanted()).isFalse();
    }
}
