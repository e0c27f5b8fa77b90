// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import java.time.Duration;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.claim.Claim;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.Counters;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.records.Reach;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * When a claim is extended, and how far. A claim reserves ten seconds; each extension reserves twice as far ahead, up to the window. One is due after
 * a third of the window, or earlier if less than two thirds of what was reserved are left or callers need more.
 */
public final class ExtensionPlan {

    private static final long SECOND = 1_000_000_000L;

    private final Claim claim;
    private final SnowflakeLayout layout;
    private final long lastTick;
    private final Platform platform;
    private final VettedClock clock;
    private final Counters counters;
    private final long windowTicks;
    private final long windowNanos;

    /** A claim begins a window ahead of the clock at most, or as far as startup-ahead says, and takes a window. */
    private final long furthestTicks;

    /** Ticks that the next extension reserves ahead of the clock. */
    private long nextWindowTicks;

    private long dueNanos;
    private long sentNanos;
    private long limitBefore;

    ExtensionPlan(Claim claim, Settings settings, Platform platform, VettedClock clock, Counters counters) {
        this.claim = claim;
        this.layout = settings.layout();
        this.lastTick = settings.lastTick();
        this.platform = platform;
        this.clock = clock;
        this.counters = counters;
        this.windowTicks = settings.window().toMillis();
        this.windowNanos = settings.window().toNanos();
        this.furthestTicks = Math.max(windowTicks, settings.startupAhead().toMillis()) + windowTicks;
        long first = claim.isResumed() ? windowTicks : Reach.FIRST_WINDOW.toMillis();
        this.nextWindowTicks = Math.min(windowTicks, 2 * first);
        this.limitBefore = claim.limit();
        this.sentNanos = platform.nanoTime() - SECOND;
        grant(Math.min(windowTicks, first));
    }

    Claim claim() {
        return claim;
    }

    long nextWindowTicks() {
        return nextWindowTicks;
    }

    boolean isDue() {
        return !claim.isSuperseded() && platform.nanoTime() - dueNanos >= 0;
    }

    /** Whether it may as well be extended together with one that is due. */
    boolean isNearlyDue() {
        return !claim.isSuperseded() && platform.nanoTime() - dueNanos >= -windowNanos / 6;
    }

    /** By the monotonic clock; far away if there is nothing to be extended. */
    long dueNanos() {
        return claim.isSuperseded() ? platform.nanoTime() + windowNanos : dueNanos;
    }

    /** The owner entry may be gone: look soon, but not more than twice a second. */
    void hurry() {
        long now = platform.nanoTime();
        long soonest = sentNanos + SECOND / 2;
        advance(soonest - now > 0 ? soonest : now);
    }

    /** Callers need more than is granted: extend now, if that gains something. */
    void hurryIfItGains() {
        long gain = Math.min(clock.tick() + nextWindowTicks, lastTick) - claim.limit();
        if (gain > nextWindowTicks / 8) {
            advance(platform.nanoTime());
        }
    }

    private void advance(long nanos) {
        if (nanos - dueNanos < 0) {
            dueNanos = nanos;
        }
    }

    WorkerCoordinator.Extension nextWrite() {
        sentNanos = platform.nanoTime();
        return claim.nextWrite(nextWindowTicks);
    }

    /** Draws the conclusion from the answer to {@link #nextWrite}. */
    void conclude(CasResult result, Duration timeout) {
        counted(() -> claim.conclude(result, nextWindowTicks, timeout));
        noteLimit();
    }

    void extend(Duration timeout) {
        sentNanos = platform.nanoTime();
        counted(() -> claim.extend(nextWindowTicks, timeout));
        noteLimit();
    }

    private void counted(Runnable extension) {
        counters.extensions.begin();
        try {
            extension.run();
        } catch (RuntimeException | Error e) {
            counters.failedExtensions.increment();
            throw e;
        } finally {
            counters.extensions.end(platform.nanoTime() - sentNanos);
        }
    }

    /** @return whether the owner entry was lost and is ours again */
    boolean ownAgain(Duration timeout) {
        try {
            boolean again = claim.ownAgain(nextWindowTicks, timeout);
            if (!claim.isWriteUnderWay()) {
                noteLimit();
            }
            return again;
        } finally {
            if (claim.isWriteUnderWay()) {
                // To be settled before anything else is written for this worker id; less urgently if another's entry
                // blocks it.
                advance(platform.nanoTime() + (claim.isToBeOwned() ? 0 : SECOND));
            }
        }
    }

    /** Lets callers have what was granted. */
    private void noteLimit() {
        if (claim.isSuperseded()) {
            return;
        }
        grant(nextWindowTicks);
        if (claim.limit() > limitBefore) {
            limitBefore = claim.limit();
            nextWindowTicks = Math.min(2 * nextWindowTicks, windowTicks);
        }
    }

    private void grant(long reservedTicks) {
        long now = platform.nanoTime();
        long left = claim.limit() - clock.vettedTick();
        claim.lease()
                .grant(
                        Positions.of(layout).first(claim.limit()),
                        now + Math.min(left, furthestTicks) * 1_000_000,
                        reservedTicks);
        // At the end of the timestamps a write gains none, but still keeps the owner entry.
        long untilTwoThirds = claim.limit() >= lastTick ? windowNanos : (left - reservedTicks * 2 / 3) * 1_000_000;
        dueNanos = now + Math.max(SECOND / 10, Math.min(untilTwoThirds, windowNanos / 3));
    }
}
