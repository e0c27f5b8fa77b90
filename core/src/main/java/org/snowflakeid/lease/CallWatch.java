// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;
import org.snowflakeid.config.SnowflakeKeys;

/**
 * The call that the keeper waits for, of the coordinator or on a file. It should end within its timeout; if it does not, the keeper's thread can't
 * report that, so callers and the status do.
 */
public final class CallWatch {

    /** The reason given to calls that wait for a note to be written. */
    public static final String NOT_WRITTEN =
            "The file in " + SnowflakeKeys.RESUME_DIRECTORY + " has not been written yet.";

    /** How much later than its timeout a call may end on a busy machine. */
    private static final long GRACE_NANOS = 1_000_000_000L;

    private record Call(String what, String meanwhile, long begunNanos, Duration timeout, AtomicBoolean said) {}

    private final Platform platform;
    private volatile @Nullable Call present;

    CallWatch(Platform platform) {
        this.platform = platform;
    }

    /**
     * @param what as in {@code A call of the coordinator}
     * @param meanwhile the reason given to calls for ids that have to wait
     */
    public <T> T during(String what, String meanwhile, Duration timeout, Supplier<T> call) {
        present = new Call(what, meanwhile, platform.nanoTime(), timeout, new AtomicBoolean());
        try {
            return call.get();
        } finally {
            present = null;
        }
    }

    /** What is waited for now; empty: nothing. */
    public Optional<String> underWay() {
        return Optional.ofNullable(present).map(Call::meanwhile);
    }

    /** The complaint about a call that should have ended; empty if there is none. */
    Optional<String> overdue() {
        return late(GRACE_NANOS);
    }

    /** As {@link #overdue}, but without the time of grace: for a start whose time is over. */
    public Optional<String> late() {
        return late(0);
    }

    private Optional<String> late(long grace) {
        Call call = present;
        if (call == null) {
            return Optional.empty();
        }
        long nanos = platform.nanoTime() - call.begunNanos();
        return nanos < call.timeout().toNanos() + grace
                ? Optional.empty()
                : Optional.of(call.what() + " has not ended for " + nanos / 1_000_000_000
                        + " s, though it may take "
                        + call.timeout().toMillis()
                        + " ms at most. If it never ends, restart this process.");
    }

    /** As {@link #overdue}, but returned only once for each call. */
    Optional<String> toBeSaid() {
        Call call = present;
        Optional<String> overdue = overdue();
        return overdue.isPresent() && call != null && call.said().compareAndSet(false, true)
                ? overdue
                : Optional.empty();
    }
}
