// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** Every worker id of the namespace stayed taken until {@code snowflake.startup-timeout}. */
public class NoFreeWorkerIdException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    public NoFreeWorkerIdException(String message) {
        super(message);
    }

    public NoFreeWorkerIdException(String message, Throwable cause) {
        super(message, cause);
    }
}
