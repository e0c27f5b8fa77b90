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

    /** The same, where the server refused the login. It is not tried again for ten seconds: logins are dear, and servers count wrong ones. */
    public CoordinatorException withLoginRefused() {
        return new CoordinatorException(this, true, retryAfter);
    }

    /** The same, where the server said how long it wants to be left alone. */
    public CoordinatorException withRetryAfter(Duration pause) {
        return new CoordinatorException(this, loginRefused, pause);
    }

    /** Whether waiting does not help. A permanent failure ends a start at once. */
    public boolean permanent() {
        return permanent;
    }

    /** Whether the server refused the login. */
    public boolean loginRefused() {
        return loginRefused;
    }

    /** How long the server wants to be left alone, if it said so. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
