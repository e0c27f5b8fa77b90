// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.snowflakeid.runtime.Launcher;

/** A server that deploys what is put into a folder, at the path of its name. It runs on a copy of its own configuration. */
interface WatchingServer extends Launcher {

    @Override
    default String contextPath() {
        return "/application";
    }

    /**
     * A small JVM.
     *
     * @param home of the Java
     * @param opened packages that the server's own script opens to all
     */
    static List<String> java(Path home, String... opened) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                ServerContract.NO_SOFT_REFERENCES));
        Arrays.stream(opened)
                .map(each -> "--add-opens=" + each + "=ALL-UNNAMED")
                .forEach(command::add);
        return command;
    }

    /** That which runs the tests. */
    static Path javaHome() {
        return Path.of(System.getProperty("java.home"));
    }

    /** Copies a folder with all that is in it. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Path copy = to.resolve(from.relativize(each).toString());
                if (Files.isDirectory(each)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(each, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    /** Replaces what must be in a file. */
    static void change(Path file, String text, String replacement) throws IOException {
        String content = Files.readString(file);
        assertThat(content).as(file.toString()).contains(text);
        Files.writeString(file, content.replace(text, replacement));
    }
}
