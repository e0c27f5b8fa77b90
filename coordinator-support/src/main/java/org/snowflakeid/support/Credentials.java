// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;

/**
 * A user and a password, as they were set; equal for those who log in alike. A password in a file is read when it is needed.
 *
 * @param password null: it is in a file, or there is none
 */
public record Credentials(
        PasswordKeys keys,
        @Nullable String user,
        @Nullable String password,
        @Nullable Path file) {

    public boolean hasPassword() {
        return password != null || file != null;
    }

    /**
     * The password now; null if there is none.
     *
     * @throws InvalidSettingsException if the file can't be read or holds none
     */
    public @Nullable String passwordNow(String generator) {
        return file == null ? password : keys.readAnew(generator, file);
    }

    /** Where the password is set, for messages. */
    public Key<?> passwordKey() {
        return file == null ? keys.password() : keys.file();
    }

    /** Without the password. */
    @Override
    public String toString() {
        return String.valueOf(user);
    }
}
