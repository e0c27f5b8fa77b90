// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** No id can be issued now: the window is used up, the clock can't be used, the wait was interrupted, or the generator is closed. */
public class SnowflakeUnavailableException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    public SnowflakeUnavailableException(String message) {
        super(message);
    }

    public SnowflakeUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
