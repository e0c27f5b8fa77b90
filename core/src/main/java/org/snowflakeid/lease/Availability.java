// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

/**
 * Whether there are ids now: the one answer that calls, the status, readiness and events go by. It depends on the lease, on the clock, and on how far
 * ahead of the clock ids may be.
 */
public final class Availability {

    private final Positions positions;
    private final Rollback rollback;

    public Availability(Positions positions, Rollback rollback) {
        this.positions = positions;
        this.rollback = rollback;
    }

    /** Positions from here on may not be issued now: they are not granted, or too far ahead of the clock. */
    public long end(Lease lease, long next, long now) {
        long ahead = ahead(lease, next, now);
        long end = Math.min(lease.limit(), positions.first(now + ahead + 1));
        if (next >= end && rollback.maxAheadTicks() > 0 && Rollback.isBehind(positions.tick(next), now, ahead)) {
            end = Math.min(lease.limit(), positions.first(rollback.lastTick(now, ahead) + 1));
        }
        return end;
    }

    /** Whether {@code next} has to wait for a clock that stepped back. */
    public boolean isBehind(Lease lease, long next, long end, long now) {
        return next >= end && Rollback.isBehind(positions.tick(next), now, ahead(lease, next, now));
    }

    /** How many ticks the clock has to advance before {@code next} may be issued. */
    public long gapTicks(Lease lease, long next, long now) {
        return positions.tick(next) - rollback.lastTick(now, ahead(lease, next, now));
    }

    private long ahead(Lease lease, long next, long now) {
        return lease.ahead(now, positions.tick(next - 1));
    }

    /** Whether all that is granted is used up or in the past, for a call that wants an id of {@code fromTick} or later. */
    boolean isUsedUp(Lease lease, long last, long fromTick, long now) {
        return Math.max(positions.next(last, now), positions.first(fromTick)) >= lease.limit();
    }

    /** Whether a call that wants an id of {@code fromTick} or later fails, since the clock is behind by more than calls wait for. */
    boolean failsBehind(Lease lease, long last, long fromTick, long now) {
        long next = Math.max(positions.next(last, now), positions.first(fromTick));
        return isBehind(lease, next, end(lease, next, now), now) && rollback.failsAtOnce(gapTicks(lease, next, now));
    }
}
