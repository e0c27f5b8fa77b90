// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import java.time.Duration;
import org.snowflakeid.lease.SharedState;

/** How long a call of the coordinator may take. */
final class CallTimeouts {

    /** A client's first call in a cold process takes seconds; after a longer one the log could not say every 5 s why the start fails. */
    private static final Duration FIRST = Duration.ofSeconds(5);

    private static final Duration LEAST_AT_START = Duration.ofSeconds(1);
    private static final Duration LEAST = Duration.ofMillis(500);
    private static final Duration MOST = Duration.ofSeconds(2);

    private final Duration started;
    private final StartDeadline start;
    private final SharedState shared;

    CallTimeouts(Duration window, StartDeadline start, SharedState shared) {
        this.started = longer(LEAST, shorter(MOST, window.dividedBy(6)));
        this.start = start;
        this.shared = shared;
    }

    /** Once the generator has its worker ids, and when it gives them back. */
    Duration started() {
        return started;
    }

    Duration now() {
        return shared.isStarted() || shared.isClosed()
                ? started
                : longer(LEAST_AT_START, shorter(FIRST, Duration.ofNanos(start.leftNanos())));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
