// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What the fixtures need of a server, be it a process or a container. Never outlives this JVM. */
sealed interface Server extends AutoCloseable permits ServerProcess, ServerContainer {
    /** Of its own, deleted on close. It finds at this path, wherever it runs, what lies there when it is first launched. */
    Path directory();

    /** Starts it, or starts it again with the data it has, without waiting until it answers. */
    void launch(List<String> command);

    boolean isAlive();

    /** The end of what it wrote. */
    String logTail();

    /** What it has used of a processor's time since it was launched. */
    Duration cpuTime();

    void signal(String signal);

    /** Asks it to end and waits until it has. */
    void terminate();

    /** Ends it at once; harmless if it has ended. */
    void kill();

    /** Where it keeps its data. */
    default Path data() {
        return directory().resolve("data");
    }

    /**
     * The same for those who copy or replace what lies there.
     *
     * @throws IllegalStateException if that cannot be reached from here
     */
    Path reachableData();

    /** Loses all data of a server that does not run. */
    void wipe();

    /**
     * Runs a command where the server runs, and returns what it printed.
     *
     * @throws IllegalStateException if it failed
     */
    String run(List<String> command);

    @Override
    void close();
}
