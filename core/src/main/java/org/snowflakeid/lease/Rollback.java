// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import org.snowflakeid.config.OnRollback;
import org.snowflakeid.config.Settings;

/**
 * What a clock that stepped back means for ids: how far ahead of it they may go on.
 *
 * @param maxAheadTicks with {@link OnRollback#CONTINUE}; else 0
 * @param maxWaitNanos how long a caller may wait for the clock
 */
public record Rollback(OnRollback policy, long maxAheadTicks, long maxWaitNanos) {

    public static Rollback of(Settings settings) {
        return new Rollback(
                settings.onRollback(),
                settings.onRollback() == OnRollback.CONTINUE
                        ? settings.maxAhead().toMillis()
                        : 0,
                settings.maxWait().toNanos());
    }

    /** Whether {@code tick} is further ahead of the clock than one used-up tick explains. */
    public static boolean isBehind(long tick, long now, long ahead) {
        return tick - now - ahead > 1;
    }

    /** The last tick that may be issued, if it is granted, while the clock that stepped back is at {@code now}. */
    public long lastTick(long now, long ahead) {
        return now + ahead + maxAheadTicks;
    }

    /** Whether calls fail at once when the clock is this many ticks behind. */
    public boolean failsAtOnce(long ticksBehind) {
        return policy == OnRollback.FAIL || ticksBehind > maxWaitNanos / 1_000_000;
    }
}
