// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** The system clock stepped back further than {@code snowflake.clock.on-rollback} allows for. */
public class ClockMovedBackwardsException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    public ClockMovedBackwardsException(String message) {
        super(message);
    }

    public ClockMovedBackwardsException(String message, Throwable cause) {
        super(message, cause);
    }
}
