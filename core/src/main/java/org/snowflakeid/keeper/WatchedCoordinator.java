// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.claim.Shown;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * Notes which call is under way, so that one that never ends is seen from outside. Until the generator is closed, it makes no call but {@link
 * #abandon} while a login would be refused again.
 */
final class WatchedCoordinator extends ForwardingCoordinator {

    private final SharedState shared;
    private final CallTimeouts timeouts;
    private final Outage outage;
    private final Shown shown;

    WatchedCoordinator(
            WorkerCoordinator coordinator, SharedState shared, CallTimeouts timeouts, Outage outage, Shown shown) {
        super(coordinator);
        this.shared = shared;
        this.timeouts = timeouts;
        this.outage = outage;
        this.shown = shown;
    }

    @Override
    protected <T> T call(Supplier<T> operation) {
        return call(timeouts.now(), operation);
    }

    private <T> T call(Duration timeout, Supplier<T> operation) {
        if (!shared.isClosed()) {
            // At the end, giving back is tried in any case.
            outage.refuseLoginSooner();
        }
        try {
            T answer = watched(timeout, operation);
            noteLogin(answer);
            noteShown(answer);
            return answer;
        } catch (CoordinatorException e) {
            outage.noteLogin(e);
            throw e;
        }
    }

    private <T> T watched(Duration timeout, Supplier<T> operation) {
        return shared.calls()
                .during("A call of the coordinator", "The coordinator has not answered yet.", timeout, operation);
    }

    private void noteShown(Object answer) {
        if (shared.isStarted()) {
            shown.forget();
        } else {
            shown.note(answer);
        }
    }

    private void noteLogin(Object answer) {
        if (answer instanceof CasResult.Unknown unknown) {
            outage.noteLogin(unknown.cause());
        } else if (answer instanceof List<?> answers) {
            answers.forEach(this::noteLogin);
        }
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        return call(timeout, () -> forwarded().extendAll(extensions, meta, timeout));
    }

    @Override
    public void abandon(int id, String owner, Duration timeout) {
        boolean unused = watched(timeout, () -> {
            super.abandon(id, owner, timeout);
            return true;
        });
    }
}
