// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** A coordinator could not be used: it was unreachable, refused the credentials, or answered with an error. */
public class CoordinatorException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    private final boolean permanent;

    /** @param permanent whether waiting does not help: wrong password, untrusted certificate, forbidden key */
    public CoordinatorException(String message, boolean permanent) {
        super(message);
        this.permanent = permanent;
    }

    /** @param permanent whether waiting does not help: wrong password, untrusted certificate, forbidden key */
    public CoordinatorException(String message, Throwable cause, boolean permanent) {
        super(message, cause);
        this.permanent = permanent;
    }

    /** Whether waiting does not help. A permanent failure ends a start at once. */
    public boolean permanent() {
        return permanent;
    }
}
