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
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.records.Reach;

/** How long a start may take, and what has kept it from its worker ids until now. For the keeper's thread, except where it says otherwise. */
public final class StartDeadline {

    /** For the claim, once ids may begin. */
    private static final Duration CLAIM_AT_FLOOR = Duration.ofSeconds(10);

    private static final long SECOND = 1_000_000_000L;

    private final Settings settings;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;

    private volatile long nanos;

    /** The last attempt's; null: none has failed. */
    private volatile @Nullable SnowflakeException failure;

    StartDeadline(Settings settings, Platform platform, VettedClock clock, SharedState shared) {
        this.settings = settings;
        this.platform = platform;
        this.clock = clock;
        this.shared = shared;
        this.nanos = platform.nanoTime() + settings.startupTimeout().toNanos();
    }

    /** When the start ends, by the monotonic clock. For any thread. */
    long nanos() {
        return nanos;
    }

    long leftNanos() {
        return nanos - platform.nanoTime();
    }

    void failed(SnowflakeException why) {
        failure = why;
    }

    /**
     * What the start ends with; null: it goes on, or has ended well.
     *
     * @param outage knows how the failure is named
     */
    @Nullable
    SnowflakeException refusal(Outage outage) {
        SnowflakeException reason = failure;
        return reason == null || shared.isStarted() || leftNanos() > 0
                ? null
                : refusal(outage.withoutPrefix(reason), reason);
    }

    /** For the thread that waits for the start: its failure, which the keeper can't report because a call has not ended. */
    SnowflakeException overdue() {
        String why = shared.lastError().or(shared.calls()::late).orElse("The coordinator has not answered yet.");
        return refusal(why, failure);
    }

    private SnowflakeException refusal(String why, @Nullable SnowflakeException reason) {
        String text = shared.message(
                "no worker id within snowflake.startup-timeout=" + settings.startupTimeout() + ": " + why);
        if (reason == null) {
            return new CoordinatorException(text, true);
        }
        return reason instanceof NoFreeWorkerIdException
                ? new NoFreeWorkerIdException(text, reason)
                : new CoordinatorException(text, reason, true);
    }

    /**
     * Extends the deadline to when ids may begin: an operator who restores or moves a namespace starts its processes at once. Not for a floor so far
     * ahead that no restore or move sets it.
     *
     * @param floor of the namespace, in ticks
     */
    void waitFor(long floor) {
        long wait = floor - settings.burst().toMillis() - clock.vettedTick();
        // One tick is what a fixed worker id always waits.
        if (shared.isStarted() || wait <= 1 || wait > Reach.FURTHEST_FLOOR.toMillis()) {
            return;
        }
        long until = platform.nanoTime()
                + Duration.ofMillis(wait).plus(CLAIM_AT_FLOOR).toNanos();
        if (until - nanos > SECOND) {
            nanos = until;
            LOG.log(
                    Level.WARNING,
                    () -> shared.message("the namespace was restored, moved or created anew, and its ids begin at "
                            + settings.layout().instantOf(floor) + ". The start waits for that, in spite of"
                            + " snowflake.startup-timeout=" + settings.startupTimeout() + "."));
        }
    }
}
