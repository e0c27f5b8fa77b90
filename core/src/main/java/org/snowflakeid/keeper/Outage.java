// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * Failures in a row: when to try again, and what is said about them: enough to see what is wrong, but not a line for each attempt. Called by the
 * keeper's thread only.
 *
 * <p>A server in trouble is not helped by many attempts, and each may cost it a connection. So while more than half of the window is left
 * the pauses grow up to a sixth of it. With less, or at a start, or while calls wait, they last a second at most: the end of an outage has
 * to be found in time.
 */
public final class Outage {

    private static final long SECOND = 1_000_000_000L;

    /** Also where a sixth of the window is more: the status must not be out of date for longer. */
    private static final long LONGEST_PAUSE = 60 * SECOND;

    /** Between two logins, if the first one was refused. */
    private static final long LOGIN_PAUSE = 10 * SECOND;

    /** Doubled by each failure. */
    private static final long FIRST_PAUSE = SECOND / 10;

    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final String coordinatorName;
    private final long windowNanos;

    private int failures;
    private String lastReason = "";

    /** How often, in a row, no worker id was free, though the coordinator may answer as it should. */
    private int noneFree;

    private @Nullable String noneFreeReason;
    private boolean windowEnded;
    private long retryNanos;
    private long failedNanos;

    /** The pause that the server asked for, or a refused login needs: not even a hint or waiting calls shorten it. */
    private long leastPause;

    private @Nullable CoordinatorException refusedLogin;
    private long refusedNanos;
    private long lastLineNanos;

    Outage(Platform platform, VettedClock clock, SharedState shared, String coordinatorName, Duration window) {
        this.platform = platform;
        this.clock = clock;
        this.shared = shared;
        this.coordinatorName = coordinatorName;
        this.windowNanos = window.toNanos();
        this.retryNanos = platform.nanoTime();
        this.lastLineNanos = retryNanos - 5 * SECOND;
    }

    /** The coordinator is not asked again before this, by the monotonic clock. */
    long retryNanos() {
        return retryNanos;
    }

    /** The coordinator gave a hint. However many come, there is a pause between attempts that fail. */
    void hurry() {
        shorten(SECOND / 10);
    }

    /** Calls wait for what only the coordinator can give. */
    void callsWait() {
        shorten(SECOND);
    }

    private void shorten(long most) {
        long pause = Math.max(most, leastPause);
        if (failures > 0 && retryNanos - failedNanos > pause) {
            retryNanos = failedNanos + pause;
        }
    }

    /** To be called with each failure of a call, before any other call. */
    void noteLogin(CoordinatorException failure) {
        if (failure.loginRefused()) {
            refusedLogin = failure;
            refusedNanos = platform.nanoTime();
        }
    }

    /**
     * To be called before each call of the coordinator: one step may make several, and not every failure delays the next.
     *
     * @throws CoordinatorException if a login was refused a moment ago, and the next one would be as well
     */
    void refuseLoginSooner() {
        CoordinatorException refused = refusedLogin;
        if (refused != null && platform.nanoTime() - refusedNanos < LOGIN_PAUSE) {
            // A new exception: a caller may have the first one too.
            throw refused.withLoginRefused();
        }
        refusedLogin = null;
    }

    /** A pause before all worker ids are looked at again, so that waiting processes don't all come at once. */
    long pauseBeforeClaimNanos() {
        return SECOND + jitter(2 * SECOND);
    }

    /** If no random bits can be drawn, as for want of a descriptor, there is none: the next attempt must come all the same. */
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
     * Notes a failure of the coordinator, or of this library, known only by its message.
     *
     * @param firstEndNanos when the first of the windows in use ends; only if {@code started}
     * @param endNanos when the last of them ends
     * @return whether it is another one than the last
     */
    boolean failed(CoordinatorException failure, boolean started, long firstEndNanos, long endNanos) {
        failures++;
        failedNanos = platform.nanoTime();
        long pause = pause(failure, started ? firstEndNanos - failedNanos : 0);
        retryNanos = failedNanos + pause;
        String reason = withoutPrefix(failure);
        shared.troubles().noteError("Last error from " + coordinatorName + ": " + reason);
        report("extension failed (" + reason + ")", reason, failures == 1, started, endNanos);
        if (leastPause > 0) {
            leastPause += jitter(1 + leastPause / 8);
        }
        retryNanos = failedNanos + Math.max(leastPause, pause / 2 + jitter(pause / 2));
        boolean another = failures == 1 || !reason.equals(lastReason);
        lastReason = reason;
        return another;
    }

    /** @param left of the first window in use */
    private long pause(CoordinatorException failure, long left) {
        long longest = Math.max(SECOND, Math.min(windowNanos / 6, LONGEST_PAUSE));
        Duration most = Duration.ofNanos(Math.max(longest, left / 2));
        long asked = failure.retryAfter()
                .map(wanted -> wanted.compareTo(most) < 0 ? wanted.toNanos() : most.toNanos())
                .orElse(0L);
        leastPause = failure.loginRefused() ? Math.max(LOGIN_PAUSE, asked) : asked;
        long untilHalf = Math.max(SECOND, Math.min(longest, left - windowNanos / 2));
        return Math.max(leastPause, Math.min(untilHalf, FIRST_PAUSE << Math.min(failures, 20)));
    }

    /** Notes that no worker id was free. */
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
            line(Level.WARNING, 5 * SECOND, "still without a worker id: " + reason);
        } else if (!windowEnded && endNanos - now <= 0) {
            windowEnded = true;
            line(Level.ERROR, 0, "what was reserved is used up, no ids: " + reason);
        } else {
            long left = endNanos - now;
            String ids = left <= 0
                    ? "still no ids"
                    : clock.isCredible(clock.tick())
                            ? "ids continue for " + seconds(left)
                            : "no ids while the clock is in doubt";
            line(Level.WARNING, first ? 0 : 15 * SECOND, what + ", " + ids);
        }
    }

    /** There are ids again, perhaps of a worker id that was claimed long before. */
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

    private void line(Level level, long everyNanos, String text) {
        long now = platform.nanoTime();
        if (now - lastLineNanos >= everyNanos) {
            lastLineNanos = now;
            LOG.log(level, shared.message(text));
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
