// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.util.List;
import org.snowflakeid.InvalidSettingsException;

/**
 * A key is set to an expression such as {@code ${DB_HOST}} that names nothing. For code that looks up values in a configuration with expressions. The
 * message lacks the value, which may be a password: a {@link SettingsReader} shows as much of it as the {@link Key} allows.
 */
public final class UnresolvedValueException extends InvalidSettingsException {
    private static final long serialVersionUID = 1L;

    /** Follows the key. */
    static final String COMPLAINT =
            "refers to a property that is not set. Set that, give it a default as in ${name:default},"
                    + " or escape the ${ if it belongs to the value.";

    private final transient String written;

    /** @param written the value with its expression, as it is set */
    public UnresolvedValueException(String key, String written) {
        super(List.of("snowflake: " + key + " " + COMPLAINT));
        this.written = written;
    }

    String written() {
        return written;
    }
}
