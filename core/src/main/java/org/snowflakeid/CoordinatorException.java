// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A coordinator could not be used: it was unreachable, refused the credentials, or answered with an error. */
public class CoordinatorException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    private final boolean permanent;
    private final boolean loginRefused;
    private final @Nullable Duration retryAfter;

    /** @param permanent whether waiting does not help: wrong password, untrusted certificate, forbidden key */
    public CoordinatorException(String message, boolean permanent) {
        super(message);
        this.permanent = permanent;
        this.loginRefused = false;
        this.retryAfter = null;
    }

    /** @param permanent whether waiting does not help: wrong password, untrusted certificate, forbidden key */
    public CoordinatorException(String message, Throwable cause, boolean permanent) {
        super(message, cause);
        this.permanent = permanent;
        this.loginRefused = false;
        this.retryAfter = null;
    }

    private CoordinatorException(CoordinatorException same, boolean loginRefused, @Nullable Duration retryAfter) {
        super(String.valueOf(same.getMessage()), same.getCause());
        this.permanent = same.permanent;
        this.loginRefused = loginRefused;
        this.retryAfter = retryAfter;
    }

    /** A copy which says that the login was refused. The next login waits ten seconds: logins are expensive, and servers count failed ones. */
    public CoordinatorException withLoginRefused() {
        return new CoordinatorException(this, true, retryAfter);
    }

    /** A copy with the pause that the server asked for. */
    public CoordinatorException withRetryAfter(Duration pause) {
        return new CoordinatorException(this, loginRefused, pause);
    }

    /** Whether waiting cannot help. A permanent failure ends a start at once. */
    public boolean permanent() {
        return permanent;
    }

    /** Whether the server refused the login. */
    public boolean loginRefused() {
        return loginRefused;
    }

    /** The pause that the server asked for, if it did. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
