// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.snowflakeid.lease.Lease;

class LeaseTest {

    private final Lease lease = new Lease(0, 100);

    private void open() {
        lease.open(10, 10, 0, 10);
    }

    // an error in the middle of a swap makes the keeper do it again
    @Test
    void isOpenedOnce() {
        open();
        assertThat(lease.advance(9, 12)).isTrue();

        open();

        assertThat(lease.position()).isEqualTo(12);
        assertThat(lease.lastIssued()).isEqualTo(12);
    }

    @Test
    void issuedNothingUntilAPositionIsTaken() {
        assertThat(lease.lastIssued()).isEqualTo(Lease.SEALED);
        open();
        assertThat(lease.lastIssued()).isEqualTo(Lease.SEALED);
    }

    @Test
    void knowsWhatWasIssuedLastWhenItIsSealed() {
        open();
        assertThat(lease.advance(9, 12)).isTrue();

        lease.seal();
        lease.seal();

        assertThat(lease.position()).isEqualTo(Lease.SEALED);
        assertThat(lease.lastIssued()).isEqualTo(12);
    }

    @Test
    void givesUpPositionsOnlyForwardAndNotOnceItIsSealed() {
        open();
        lease.skipTo(20);
        lease.skipTo(15);
        assertThat(lease.position()).isEqualTo(19);

        lease.seal();
        lease.skipTo(30);
        assertThat(lease.position()).isEqualTo(Lease.SEALED);
    }

    // for a moment, positions that were given up counted as issued
    @Test
    @Timeout(60)
    void countsNothingThatIsJustBeingGivenUp() throws Exception {
        open();
        Thread keeper = new Thread(() -> {
            for (long floor = 20; floor < 3_000_000; floor++) {
                lease.skipTo(floor);
            }
        });
        keeper.start();

        long most = 0;
        while (keeper.isAlive()) {
            most = Math.max(most, lease.issued());
        }

        keeper.join();
        assertThat(most).isZero();
    }

    @Test
    void countsWhatWasIssuedAndNothingElse() {
        open();
        assertThat(lease.advance(5, 20, 20)).isFalse();
        assertThat(lease.issued()).isZero();

        assertThat(lease.advance(9, 12, 14)).isTrue();
        assertThat(lease.issued()).isEqualTo(3);

        lease.skipTo(30);
        assertThat(lease.advance(29, 30, 30)).isTrue();
        assertThat(lease.issued()).isEqualTo(4);

        lease.seal();
        assertThat(lease.issued()).isEqualTo(4);
    }

    // a caller that noticed the end of one window while the next was granted
    @Test
    void anEndThatWasNoticedBeforeItCameWasThatOfAnEarlierWindow() {
        lease.grant(100, 1_000, 50);
        assertThat(lease.noticeEnd(1_100)).isEqualTo(1_100);
        lease.grant(100, 2_000, 50);

        assertThat(lease.noticeEnd(2_100)).isEqualTo(2_100);
        assertThat(lease.noticeEnd(2_200)).isEqualTo(2_100);
    }
}
