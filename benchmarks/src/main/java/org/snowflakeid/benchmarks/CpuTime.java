// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The time on a processor of all threads of this process but the compiler's: callers, carriers of virtual threads, the subject's
 * own threads and the garbage collector. From the kernel's accounts of each thread, since a thread's CPU time as the JDK has it
 * leaves out the collector, and that of the process counts in hundredths of a second.
 */
final class CpuTime {

    private final Map<Path, Long> lastSeen = new HashMap<>();

    long nanos() throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                try {
                    if (!Files.readString(thread.resolve("comm")).contains("Compiler")) {
                        String account = Files.readString(thread.resolve("schedstat"));
                        lastSeen.put(thread, Long.parseLong(account.substring(0, account.indexOf(' '))));
                    }
                } catch (IOException e) {
                    // It has ended since; what it was last seen to have used still counts.
                }
            }
        }
        return lastSeen.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Of all threads, the compiler's included: they have little left to do after the warm-up. In hundredths of a second, but read at once
     * however many threads there are.
     */
    static long ofProcess() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
