// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.util.function.Consumer;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.claim.Takeover;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.spi.WorkerCoordinator;

/** The end of a generator: its worker ids are given back, as far as that can be done, and its connection is closed. For the keeper's thread. */
final class Ending {

    /** After this many worker ids in a row that could not be given back, the coordinator is not asked about the others. */
    private static final int MOST_UNANSWERED = 2;

    private final WorkerIds workerIds;
    private final WorkerCoordinator coordinator;
    private final Takeover takeover;
    private final SharedState shared;
    private final CallTimeouts timeouts;
    private final Consumer<SnowflakeException> breakDown;

    Ending(
            WorkerIds workerIds,
            WorkerCoordinator coordinator,
            Takeover takeover,
            SharedState shared,
            CallTimeouts timeouts,
            Consumer<SnowflakeException> breakDown) {
        this.workerIds = workerIds;
        this.coordinator = coordinator;
        this.takeover = takeover;
        this.shared = shared;
        this.timeouts = timeouts;
        this.breakDown = breakDown;
    }

    /** Throws only for want of memory, and then it has ended too. */
    void end() {
        try {
            endInOrder();
        } finally {
            shared.end();
        }
    }

    private void endInOrder() {
        // The flag was set to end a long first call; it must not end the release.
        boolean unused = Thread.interrupted();
        boolean allReleased = giveBack();
        attempt(coordinator::close);
        attempt(takeover::end);
        if (allReleased) {
            shared.release();
        }
    }

    /**
     * As long as the coordinator answers, however many they are.
     *
     * @return whether all were given back
     */
    private boolean giveBack() {
        boolean allReleased = true;
        int unanswered = 0;
        for (Succession succession : workerIds.successions()) {
            boolean released = end(succession, unanswered < MOST_UNANSWERED);
            if (released) {
                shared.noteGivenBack();
            }
            allReleased &= released;
            unanswered = released ? 0 : unanswered + 1;
        }
        return allReleased && !isDataLost();
    }

    private boolean isDataLost() {
        return shared.isBroken() && shared.isStarted();
    }

    private boolean end(Succession succession, boolean asks) {
        boolean[] released = {false};
        attempt(() -> released[0] = asks ? end(succession) : succession.keep());
        return released[0];
    }

    private boolean end(Succession succession) {
        try {
            return succession.end(isDataLost(), timeouts.started());
        } catch (CoordinatorRegressedException e) {
            // After a checkpoint the generator must not claim anew at a coordinator that lost data.
            breakDown.accept(e);
            return succession.end(true, timeouts.started());
        }
    }

    private void attempt(Runnable part) {
        try {
            part.run();
        } catch (Throwable e) {
            // What was not given back is free when its window is over.
            LOG.log(Level.WARNING, shared.message("could not end in order"), e);
        }
    }
}
