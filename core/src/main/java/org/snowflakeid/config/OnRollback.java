// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

/** What happens to a call when the clock stepped back. Ids increase in every case. */
public enum OnRollback {
    /** Wait until the clock has caught up, at most {@code snowflake.clock.max-wait}. */
    WAIT,
    /** Fail at once. */
    FAIL,
    /** Keep the time that ids have reached and go on, at most {@code snowflake.clock.max-ahead} ahead of the clock. */
    CONTINUE
}
