// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * Failures in a row: when to try again, and what is said about them, which is enough to see that something is wrong and what, and not a
 * line for each attempt. Called by the keeper's thread only.
 */
public final class Outage {

    private static final long SECOND = 1_000_000_000L;

    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final String coordinatorName;

    private int failures;
    private String lastReason = "";

    /** How often, in a row, no worker id was to be had, though the coordinator may answer as it should. */
    private int noneFree;

    private @Nullable String noneFreeReason;
    private boolean windowEnded;
    private long retryNanos;
    private long failedNanos;
    private long lastLineNanos;

    Outage(Platform platform, VettedClock clock, SharedState shared, String coordinatorName) {
        this.platform = platform;
        this.clock = clock;
        this.shared = shared;
        this.coordinatorName = coordinatorName;
        this.retryNanos = platform.nanoTime();
        this.lastLineNanos = retryNanos - 5 * SECOND;
    }

    /** Not before it is the coordinator asked again, by the monotonic clock. */
    long retryNanos() {
        return retryNanos;
    }

    /** Something was heard of the coordinator. However often that is, attempts that fail have a pause between them. */
    void hurry() {
        if (failures > 0 && retryNanos - failedNanos > SECOND / 10) {
            retryNanos = failedNanos + SECOND / 10;
        }
    }

    /** A pause before all worker ids are looked at again, so that those who wait for one don't all come at once. */
    long pauseBeforeClaimNanos() {
        return SECOND + jitter(2 * SECOND);
    }

    /** Where nothing can be drawn, for want of a descriptor perhaps, there is none: what failed has to be tried again all the same. */
    private long jitter(long bound) {
        try {
            return Math.floorMod(platform.randomLong(), bound);
        } catch (RuntimeException | Error e) {
            return bound / 2;
        }
    }

    /** Messages of coordinators may name the generator already. */
    String withoutPrefix(Throwable failure) {
        String text = failure instanceof SnowflakeException ? String.valueOf(failure.getMessage()) : failure.toString();
        String prefix = shared.message("");
        return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
    }

    /**
     * Takes note of a failure of the coordinator, or of this library, of which nothing is known but what it says.
     *
     * @param endNanos when the window in use ends; only if {@code started}
     * @return whether it is another one than the last
     */
    boolean failed(Throwable failure, boolean started, long endNanos) {
        failures++;
        long pause = Math.min(SECOND, (SECOND / 10) << Math.min(failures, 5));
        failedNanos = platform.nanoTime();
        retryNanos = failedNanos + pause;
        String reason = withoutPrefix(failure);
        shared.troubles().noteError("Last error from " + coordinatorName + ": " + reason);
        report("extension failed (" + reason + ")", reason, failures == 1, started, endNanos);
        retryNanos = failedNanos + pause / 2 + jitter(pause / 2);
        boolean another = failures == 1 || !reason.equals(lastReason);
        lastReason = reason;
        return another;
    }

    /** Takes note that there was no worker id to be had. */
    void noneFree(NoFreeWorkerIdException failure, boolean started, long endNanos) {
        noneFree++;
        String reason = withoutPrefix(failure);
        noneFreeReason = reason;
        shared.troubles().noteError(reason);
        report("no other worker id (" + reason + ")", reason, noneFree == 1, started, endNanos);
    }

    private void report(String what, String reason, boolean first, boolean started, long endNanos) {
        long now = platform.nanoTime();
        if (!started) {
            line(5 * SECOND, "still without a worker id: " + reason);
        } else if (!windowEnded && endNanos - now <= 0) {
            windowEnded = true;
            line(0, "what was reserved is used up, no ids: " + reason);
        } else {
            long left = endNanos - now;
            String ids = left <= 0
                    ? "still no ids"
                    : clock.isCredible(clock.tick())
                            ? "ids continue for " + seconds(left)
                            : "no ids while the clock is in doubt";
            line(first ? 0 : 15 * SECOND, what + ", " + ids);
        }
    }

    /** There are ids, which may be of something that was claimed long before. */
    void idsAgain() {
        if (windowEnded) {
            windowEnded = false;
            if (failures == 0) {
                shared.troubles().noteError(null);
            }
            LOG.log(Level.INFO, shared.message("ids again"));
        }
    }

    private static String seconds(long nanos) {
        Duration left = Duration.ofNanos(nanos);
        return left.toSeconds() + "." + left.toMillisPart() / 100 + " s";
    }

    private void line(long everyNanos, String text) {
        long now = platform.nanoTime();
        if (now - lastLineNanos >= everyNanos) {
            lastLineNanos = now;
            LOG.log(Level.WARNING, shared.message(text));
        }
    }

    /**
     * The coordinator answered as it should.
     *
     * @param missing whether a worker id is to be claimed still, or waited for
     * @param hasIds whether there are ids
     */
    void over(boolean started, boolean missing, boolean hasIds) {
        if (windowEnded && hasIds) {
            idsAgain();
        } else if (failures > 0 && started) {
            LOG.log(Level.INFO, shared.message("extension works again"));
        }
        failures = 0;
        if (!missing) {
            noneFree = 0;
            noneFreeReason = null;
        }
        shared.troubles().noteError(noneFreeReason);
    }
}
