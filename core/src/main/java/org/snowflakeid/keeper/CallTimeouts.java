// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import java.time.Duration;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.SharedState;

/** How long a call of the coordinator may take. */
final class CallTimeouts {

    /** A client's first call in a cold process takes seconds; with a longer timeout the log could not say every 5 s why the start fails. */
    private static final Duration FIRST = Duration.ofSeconds(5);

    /** How many requests are answered within one timeout. */
    private static final int AT_A_TIME = 16;

    /** With more it would take too long to notice that there is no answer at all. */
    private static final int MOST_BATCHES = 4;

    private static final Duration LEAST = Duration.ofMillis(500);
    private static final Duration MOST = Duration.ofSeconds(2);

    private final Duration started;
    private final int callsOfClose;
    private final StartDeadline start;
    private final SharedState shared;

    CallTimeouts(Settings settings, StartDeadline start, SharedState shared) {
        this.started = longer(LEAST, shorter(MOST, settings.window().dividedBy(6)));
        this.callsOfClose = settings.resumeDirectory().isPresent() ? 6 : 5;
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
                : longer(LEAST, shorter(FIRST, Duration.ofNanos(start.leftNanos())));
    }

    /** For several worker ids that a coordinator may extend one after the other. */
    Duration now(int extensions) {
        int batches = 1 + (extensions - 1) / AT_A_TIME;
        return now().multipliedBy(Math.min(batches, MOST_BATCHES));
    }

    /**
     * For one worker id: enough for a call under way, one to resolve a doubt, the release, perhaps twice, and closing the connection. With notes
     * there is one more, to find out whether they may be ended.
     */
    long longestCloseNanos() {
        return started.multipliedBy(callsOfClose).plusSeconds(1).toNanos();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
