// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/** The owner entry: tells operators who holds a worker id. Nothing is decided by its content. */
final class Owner {

    private Owner() {}

    static String value(String token, Instant since) {
        return Pairs.NONE
                .with("token", token)
                .with("host", host())
                .with("pid", ProcessHandle.current().pid())
                .with("since", since)
                .toString();
    }

    /** "host, since" of an owner entry, for messages. */
    static String describe(String value) {
        try {
            Map<String, String> entries = Pairs.parse(value).entries();
            return "host " + entries.getOrDefault("host", "?") + " since " + entries.getOrDefault("since", "?");
        } catch (IllegalArgumentException unreadable) {
            return "'" + value + "'";
        }
    }

    /** Without asking a name server, which may take many seconds to fail. */
    private static String host() {
        String name = System.getenv("HOSTNAME");
        if (name == null) {
            try {
                name = Files.readString(Path.of("/proc/sys/kernel/hostname"));
            } catch (IOException notLinux) {
                name = System.getenv().getOrDefault("COMPUTERNAME", "unknown");
            }
        }
        return name.strip().replaceAll("[\\s=]", "-");
    }
}
