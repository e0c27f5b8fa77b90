// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

/**
 * One of a generator's worker ids, as its callers and its keeper share it: the lease that ids are issued under now. The keeper swaps it;
 * callers read it anew for each id.
 */
public final class CurrentLease {

    private volatile Lease lease = new Lease(0, 0);

    /** The lease before, whose count a failing call may still correct. Guarded by this, as all counts are. */
    private Lease previous = lease;

    private long issuedBefore;
    private long issued;
    private long published;

    /** Callers need more than is granted, and the keeper has not looked yet. */
    private volatile boolean moreWanted;

    /** The lease to issue under; sealed before the first one is published, and from close on. */
    public Lease get() {
        return lease;
    }

    synchronized void set(Lease next) {
        if (lease.equals(next)) {
            // Published already: an Error came after it, and the swap is repeated.
            return;
        }
        issuedBefore += previous.issued();
        previous = lease;
        lease = next;
        published++;
    }

    /** How many ids were issued under all of its leases. */
    public synchronized long issued() {
        issued = Math.max(issued, issuedBefore + previous.issued() + (lease.equals(previous) ? 0 : lease.issued()));
        return issued;
    }

    /** Whether there was a lease at all. */
    public synchronized boolean hasBegun() {
        return published > 0;
    }

    /** How often a lease took the place of another. */
    public synchronized long swaps() {
        return Math.max(0, published - 1);
    }

    /** @return whether it is the first request since the keeper last looked */
    public boolean wantMore() {
        boolean first = !moreWanted;
        moreWanted = true;
        return first;
    }

    public boolean isMoreWanted() {
        return moreWanted;
    }

    public boolean takeMoreWanted() {
        boolean wanted = moreWanted;
        if (wanted) {
            // Only then, or a request made since the read would be lost.
            moreWanted = false;
        }
        return wanted;
    }
}
