// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** The coordinator lost data it had acknowledged, or the namespace was replaced: ids issued now could be issued again. */
public class CoordinatorRegressedException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    public CoordinatorRegressedException(String message) {
        super(message);
    }

    public CoordinatorRegressedException(String message, Throwable cause) {
        super(message, cause);
    }
}
