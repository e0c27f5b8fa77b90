// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** How an application is started on a runtime: in the foreground, so that SIGTERM reaches it. */
public interface Launcher {

    /** A process to be started once, whose application answers on this port of 127.0.0.1. */
    ProcessBuilder prepare(int port) throws IOException;

    /** Below which path the application answers; empty if there is none. */
    default String contextPath() {
        return "";
    }

    /** With the Java that runs the tests. */
    static List<String> java(String... arguments) {
        return Stream.concat(
                        Stream.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        Stream.of(arguments))
                .toList();
    }
}
