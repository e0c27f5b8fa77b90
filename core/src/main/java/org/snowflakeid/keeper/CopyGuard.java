// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/**
 * Gives up what a copy of this process may be using as well, as when its memory image was restored twice: each worker id in use gets a write that
 * only one of two copies can win, and ids go on under another worker id, or above all that both may know of. Called by the keeper's thread only.
 */
final class CopyGuard {

    private final WorkerIds workerIds;
    private final SnowflakeLayout layout;
    private final Positions positions;
    private final VettedClock clock;
    private final SharedState shared;
    private final Duration timeout;
    private final List<Guarded> all;

    CopyGuard(WorkerIds workerIds, SnowflakeLayout layout, VettedClock clock, SharedState shared, Duration timeout) {
        this.workerIds = workerIds;
        this.layout = layout;
        this.positions = Positions.of(layout);
        this.clock = clock;
        this.shared = shared;
        this.timeout = timeout;
        this.all = workerIds.successions().stream().map(Guarded::new).toList();
    }

    /**
     * When this returns, nothing in use here may be in use by a copy of this process as well.
     *
     * @throws org.snowflakeid.SnowflakeException if that is not certain yet
     */
    void leaveShared() {
        // Left behind by an earlier attempt that failed half-way.
        workerIds.releaseLeft();
        boolean answered = false;
        for (Guarded each : all) {
            answered |= each.beginToLeave();
        }
        for (Guarded each : all) {
            if (each.isToLeave()) {
                workerIds.goElsewhere(each.succession, each.sharedLimit);
            }
            each.skipShared();
        }
        if (answered) {
            workerIds.coordinatorAnswers();
        }
    }

    private final class Guarded {
        final Succession succession;

        /** In use, while a copy of this process may use it too up to {@link #sharedLimit}. */
        private @Nullable ExtensionPlan sharedPlan;

        /** Everything below must be given up. */
        private long sharedLimit;

        /** How many steps of the clock had been seen before the last write that only one of two copies can win; 0: there was none. */
        private int stepsBeforeLeaving;

        Guarded(Succession succession) {
            this.succession = succession;
        }

        private boolean isShared() {
            return sharedPlan != null && sharedPlan.equals(succession.current());
        }

        /**
         * What was reserved ahead is given up at once: both copies would swap to it.
         *
         * @return whether the coordinator has answered
         */
        boolean beginToLeave() {
            succession.abandonSuccessor(timeout);
            ExtensionPlan used = succession.current();
            int steps = clock.steps();
            // A later step may mean another copy, which knows what was written because of the one before.
            if (used == null || steps == stepsBeforeLeaving) {
                // Already left: what is used now was claimed after that write, or lies above it.
                return false;
            }
            if (used.claim().isSuperseded()) {
                // No write can decide between the copies.
                used.claim().lease().seal();
                return false;
            }
            // The bytes of a write whose outcome is unknown may be known to both.
            long before = used.claim().limit();
            if (used.claim().isWriteUnderWay()) {
                used.extend(timeout);
            }
            long limit = Math.max(before, used.claim().limit());
            used.extend(timeout);
            if (used.claim().isSuperseded()) {
                used.claim().lease().seal();
                return true;
            }
            used.claim().share();
            sharedPlan = used;
            sharedLimit = limit;
            stepsBeforeLeaving = steps;
            return true;
        }

        boolean isToLeave() {
            return isShared() && sharedLimit > clock.vettedTick();
        }

        /** Without a successor ids go on above what a copy may be using. */
        void skipShared() {
            ExtensionPlan used = succession.current();
            if (used == null || !isShared()) {
                return;
            }
            long limit = sharedLimit;
            if (isToLeave()) {
                LOG.log(
                        Level.WARNING,
                        () -> shared.message(
                                "a copy of this process may be running, since the system clock stepped, and"
                                        + " no other worker id can be used sooner: ids continue from "
                                        + layout.instantOf(limit)));
            }
            // Even if the clock is there already: it may step back.
            used.claim().lease().skipTo(positions.first(limit));
            sharedPlan = null;
        }
    }
}
