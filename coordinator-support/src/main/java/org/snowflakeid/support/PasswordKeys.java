// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;

/**
 * The keys of a password that may be in a file, and how they are read: the same for all coordinators. A file is read anew whenever its password is
 * needed, since it may be replaced while a process runs.
 *
 * @param user whose password it is
 * @param password itself
 * @param file which holds nothing else; a line end after it does not belong to it
 */
public record PasswordKeys(Key<String> user, Key<String> password, Key<Path> file) {

    /** As they are set; {@link #check} says what is wrong with them. */
    public Credentials credentials(SettingsReader reader) {
        return new Credentials(
                this,
                reader.optional(user).orElse(null),
                reader.optional(password).orElse(null),
                reader.optional(file).orElse(null));
    }

    private boolean areSet(SettingsReader reader) {
        return reader.isSet(password) || reader.isSet(file);
    }

    /** Notes in the reader what is wrong with them; a file that all users may read is a warning. */
    public void check(SettingsReader reader) {
        if (reader.isSet(password) && reader.isSet(file)) {
            reader.refuse(file, "is set beside " + password + ". Remove one of them.");
        }
        reader.optional(file).ifPresent(named -> {
            String unused = read(reader, named);
            reader.warnOfReaders(file, named);
        });
    }

    /** Notes in the reader that a user has no password. */
    public void requirePasswordOfUser(SettingsReader reader) {
        if (reader.isSet(user) && !areSet(reader)) {
            reader.refuse(user, "comes without a password. Set " + password + " or " + file + ", or remove it.");
        }
    }

    /** Notes in the reader that a password has no user. */
    public void requireUserOfPassword(SettingsReader reader) {
        if (areSet(reader) && !reader.isSet(user)) {
            reader.refuse(
                    reader.isSet(password) ? password : file, "comes without a user. Set " + user + " or remove it.");
        }
    }

    /** The password in the file; null if there is none or it can't be read, which is noted in the reader. */
    public @Nullable String read(SettingsReader reader, Path named) {
        String text = text(reader, file, named, "the password")
                .map(all -> all.replaceFirst("\\R\\z", ""))
                .orElse(null);
        if (text != null && text.isEmpty()) {
            reader.refuse(file, "is empty. Write the password into it.");
            return null;
        }
        return text;
    }

    /**
     * All that a file holds; empty if it can't be read, which is noted in the reader.
     *
     * @param secret what it is to hold, such as {@code the ACL token}
     */
    public static Optional<String> text(SettingsReader reader, Key<Path> key, Path file, String secret) {
        try {
            return Optional.of(Files.readString(file));
        } catch (IOException e) {
            reader.refuse(key, "can't be read (" + e + "). Name a text file that holds " + secret + ".");
            return Optional.empty();
        }
    }

    /** What the file holds now. */
    String readAnew(String generator, Path named) {
        SettingsReader reader = new SettingsReader(generator, Map.of(file.name(), named.toString())::get);
        String text = read(reader, named);
        reader.throwProblems();
        if (text == null) {
            throw new IllegalStateException("refused without a problem");
        }
        return text;
    }
}
