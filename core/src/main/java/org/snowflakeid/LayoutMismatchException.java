// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** The namespace was created with another epoch or other bit widths than this generator is configured with. */
public class LayoutMismatchException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    public LayoutMismatchException(String message) {
        super(message);
    }

    public LayoutMismatchException(String message, Throwable cause) {
        super(message, cause);
    }
}
