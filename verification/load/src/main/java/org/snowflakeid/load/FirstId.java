// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/**
 * A fresh process that wants one id. Prints how many milliseconds after {@code begun}, its argument, it had it, how much of a
 * processor's time that took, and how much memory.
 */
final class FirstId {

    private FirstId() {}

    public static void main(String... arguments) throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith("snowflake.")) {
                settings.put(name, System.getProperty(name));
            }
        }
        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(settings))) {
            ids.nextId();
            long took = System.currentTimeMillis() - Long.parseLong(arguments[0]);
            Duration processor =
                    ProcessHandle.current().info().totalCpuDuration().orElseThrow();
            System.out.println("first " + took + " " + processor.toMillis() + " " + residentMebibytes());
        }
        System.exit(0);
    }

    private static long residentMebibytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElseThrow();
    }
}
