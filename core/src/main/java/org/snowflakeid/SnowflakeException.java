// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import org.jspecify.annotations.Nullable;

/** Root of what this library throws. The message says which generator, what failed, what was seen and what to do. */
public class SnowflakeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SnowflakeException(String message) {
        super(message);
    }

    public SnowflakeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
