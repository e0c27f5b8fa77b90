// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** Within {@code snowflake.startup-timeout} there was no worker id that could be claimed and used. */
public class NoFreeWorkerIdException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    public NoFreeWorkerIdException(String message) {
        super(message);
    }

    public NoFreeWorkerIdException(String message, Throwable cause) {
        super(message, cause);
    }
}
