// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * User and password, as a setting or in a file, which is read anew for each session.
 *
 * @param value null if there is a file
 * @param file null if it was set
 */
record Digest(@Nullable String value, @Nullable Path file) {

    /** @throws IOException if the file can't be read, or holds something else; it says nothing of what it holds */
    String read() throws IOException {
        String text = value != null || file == null ? String.valueOf(value) : withoutLineEnd(Files.readString(file));
        if (!isUserAndPassword(text)) {
            throw new IOException("holds no user and password, written as user:password");
        }
        return text;
    }

    byte[] bytes() throws IOException {
        return read().getBytes(StandardCharsets.UTF_8);
    }

    /** As far as it can be known. */
    String user() {
        try {
            String text = read();
            return "user '" + text.substring(0, text.indexOf(':')) + "'";
        } catch (IOException e) {
            return "the user in " + file;
        }
    }

    /** Editors and {@code echo} end the last line, and blanks may belong to a password. */
    private static String withoutLineEnd(String text) {
        return text.replaceFirst("\r?\n$", "");
    }

    private static boolean isUserAndPassword(String text) {
        int colon = text.indexOf(':');
        return colon > 0 && colon < text.length() - 1 && text.indexOf('\n') < 0;
    }

    /** Without the password. */
    @Override
    public String toString() {
        return user();
    }
}
