// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.records;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.snowflakeid.Platform;
import org.snowflakeid.config.Quoted;

/**
 * The owner entry: shows operators which process holds a worker id. No id depends on its content, which only messages, the vetting of the clock and a
 * takeover look at.
 */
public final class OwnerEntry {

    private OwnerEntry() {}

    public static String value(String token, Instant since, String process) {
        return RecordLine.NONE
                .with("token", token)
                .with("host", host())
                .with("pid", ProcessHandle.current().pid())
                .with("since", since)
                .with("process", process)
                .toString();
    }

    /** Whether an owner entry was written by this platform's process; false for those of earlier versions, which don't name it. */
    public static boolean isOf(Platform platform, String value) {
        try {
            String process = RecordLine.parse(value).entries().get("process");
            return process != null && platform.isProcess(process);
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /** Whether an owner entry belongs to the mark with this token. */
    public static boolean isOfClaim(String token, String value) {
        try {
            return token.equals(RecordLine.parse(value).entries().get("token"));
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /** "host, since" of an owner entry, for messages. */
    public static String describe(String value) {
        try {
            Map<String, String> entries = RecordLine.parse(value).entries();
            return Quoted.plain(
                    "host " + entries.getOrDefault("host", "?") + " since " + entries.getOrDefault("since", "?"));
        } catch (IllegalArgumentException unreadable) {
            return Quoted.of(value);
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
