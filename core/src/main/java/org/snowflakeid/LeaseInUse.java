// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/**
 * One of a generator's worker ids, as its callers and its keeper share it: the lease that ids are issued under now. The keeper swaps it;
 * callers read it anew for each id.
 */
final class LeaseInUse {

    private volatile Lease lease = new Lease(0, 0);

    /** Callers need more than is granted, and the keeper has not looked yet. */
    private volatile boolean moreWanted;

    /** Sealed before the first lease was published, and from close on. */
    Lease get() {
        return lease;
    }

    void set(Lease next) {
        lease = next;
    }

    /** @return whether nobody had asked since the keeper last looked */
    boolean wantMore() {
        boolean first = !moreWanted;
        moreWanted = true;
        return first;
    }

    boolean takeMoreWanted() {
        boolean wanted = moreWanted;
        if (wanted) {
            // Only then: or it would take back what a caller has asked for since.
            moreWanted = false;
        }
        return wanted;
    }
}
