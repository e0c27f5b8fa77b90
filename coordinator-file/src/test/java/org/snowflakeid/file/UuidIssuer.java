// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/** Writes the UUIDs of several generators, each to a file of its own, once it is told to. */
final class UuidIssuer {

    private UuidIssuer() {}

    /** @param arguments the coordinator's folder, that of the files, how many generators, and how many UUIDs of each */
    public static void main(String[] arguments) throws Exception {
        SnowflakeSettings settings =
                SnowflakeSettings.of(Map.of("snowflake.coordinator", "file", "snowflake.file.directory", arguments[0]));
        int count = Integer.parseInt(arguments[3]);
        List<LeasedSnowflake> generators = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            LeasedSnowflake ids = LeasedSnowflake.open(settings);
            generators.add(ids);
            Path file = Path.of(arguments[1], ProcessHandle.current().pid() + "-" + i);
            threads.add(new Thread(() -> write(ids, count, file)));
        }
        System.out.println("ready");
        int unused = System.in.read();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        LeasedSnowflake.closeAll(generators);
    }

    private static void write(LeasedSnowflake ids, int count, Path file) {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            for (int i = 0; i < count; i++) {
                UUID uuid = ids.nextUuid();
                out.writeLong(uuid.getMostSignificantBits());
                out.writeLong(uuid.getLeastSignificantBits());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
