// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.snowflakeid.lease.CallWatch;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/** Notes which call is under way, so that one that never ends is seen from outside. */
final class WatchedCoordinator extends ForwardingCoordinator {

    private final CallWatch calls;
    private final CallTimeouts timeouts;

    WatchedCoordinator(WorkerCoordinator coordinator, CallWatch calls, CallTimeouts timeouts) {
        super(coordinator);
        this.calls = calls;
        this.timeouts = timeouts;
    }

    @Override
    protected <T> T call(Supplier<T> operation) {
        return call(timeouts.now(), operation);
    }

    private <T> T call(Duration timeout, Supplier<T> operation) {
        calls.begin("A call of the coordinator", "The coordinator has not answered yet.", timeout);
        try {
            return operation.get();
        } finally {
            calls.end();
        }
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        return call(timeout, () -> forwarded().extendAll(extensions, meta, timeout));
    }
}
