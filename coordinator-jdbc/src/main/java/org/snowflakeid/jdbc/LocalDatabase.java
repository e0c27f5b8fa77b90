// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Databases that other machines, or even other processes of this one, don't see: by the URL of their connections, which some drivers don't tell. */
final class LocalDatabase {

    /** SQLite without a file has one for each connection. */
    private static final Pattern IN_MEMORY = Pattern.compile("(?i)jdbc:(h2:(split:[^/]*)?(mem|(nio)?mem(FS|LZF)):.*"
            + "|hsqldb:(mem:.*|\\..*)|derby:memory:.*|sqlite:(:memory:.*|\\?.*|.*[?&]mode=memory.*)?)");

    private static final Pattern OF_THIS_MACHINE = Pattern.compile("(?i)jdbc:(h2:(?!tcp:|ssl:).*"
            + "|hsqldb:(?!hsqls?:|https?:).*|derby:(?!//).*|sqlite:.*|firebird(sql)?:embedded:.*)");

    static final String IS_IN_MEMORY =
            "is a database in the memory of this process: no other process sees it, and none after it."
                    + " Name one that all processes share.";

    private LocalDatabase() {}

    /** Whether it is this process's alone, and gone with it. */
    static boolean isInMemory(@Nullable String url) {
        return url != null && IN_MEMORY.matcher(url).matches();
    }

    /** Whether it is in this process, or in a file that only processes of this machine share. */
    static boolean isOfThisMachine(@Nullable String url) {
        return url != null && OF_THIS_MACHINE.matcher(url).matches();
    }
}
