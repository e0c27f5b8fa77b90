// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the machine must have: clocks that can be set for one process, and PID namespaces. */
final class Machine {
    private static final String LIBRARY = "libfaketimeMT.so.1";
    private static final List<List<String>> NAMESPACES = List.of(
            List.of("unshare", "--pid", "--fork", "--kill-child"),
            List.of("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"));

    private Machine() {}

    /** What a process is wrapped in, so that its process id is 1 and no other process is to be seen. */
    static List<String> ownNamespace() {
        for (List<String> wrapping : NAMESPACES) {
            if (succeeds(wrapping)) {
                return wrapping;
            }
        }
        throw new IllegalStateException("no PID namespaces: neither as root nor by user namespaces does"
                + " `unshare --pid --fork true` work. Leave the chapter of twins out: --chapters");
    }

    private static boolean succeeds(List<String> wrapping) {
        List<String> command = new ArrayList<>(wrapping);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The environment of a process whose wall clock, and nothing else, is wrong by what stands in a file. */
    static Map<String, String> clockOf(Path file) {
        return Map.of(
                "LD_PRELOAD", library().toString(),
                "FAKETIME_TIMESTAMP_FILE", file.toString(),
                // Read anew once a second: at each call, a JVM would take a minute to start.
                "FAKETIME_CACHE_DURATION", "1",
                "NO_FAKE_STAT", "1",
                "FAKETIME_DISABLE_SHM", "1",
                "DONT_FAKE_MONOTONIC", "1");
    }

    private static Path library() {
        return Stream.of("/usr/lib", "/usr/lib64", "/usr/local/lib")
                .map(Path::of)
                .flatMap(folder -> Stream.concat(Stream.of(folder), within(folder).stream()))
                .map(folder -> folder.resolve("faketime").resolve(LIBRARY))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + LIBRARY
                        + ": install libfaketime (Debian: apt-get install libfaketime), or leave the chapter of clocks"
                        + " out: --chapters"));
    }

    private static List<Path> within(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
