// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.SnowflakeLayout;

/** Ten million, by eight generators in three processes at the same time. */
@Tag("nightly")
class UuidsOfSeveralProcessesTest {

    private static final int[] GENERATORS = {3, 3, 2};
    private static final int OF_EACH = 1_250_000;

    /** The random bits make no two UUIDs distinct here. */
    private static final int RANDOM_BITS = 34;

    @TempDir
    Path directory;

    @TempDir
    Path files;

    @Test
    void allAreDistinctAndThoseOfEachGeneratorIncrease() throws Exception {
        long start = System.nanoTime();
        issue();
        double seconds = (System.nanoTime() - start) / 1e9;

        List<Issued> all = new ArrayList<>();
        try (Stream<Path> written = Files.list(files)) {
            for (Path file : written.toList()) {
                all.add(new Issued(file));
            }
        }
        assertThat(all).hasSize(8);
        long last = all.stream().mapToLong(each -> each.high).max().orElseThrow();
        long count = merge(all);

        assertThat(count).isEqualTo(10_000_000);
        assertThat(all).as("issued at the same time").allMatch(each -> each.high > last);
        System.out.printf("%,d UUIDs of 8 generators in 3 processes in %.1f s%n", count, seconds);
    }

    private void issue() throws Exception {
        List<Process> processes = new ArrayList<>();
        try {
            for (int generators : GENERATORS) {
                processes.add(Peer.Remote.start(
                        "",
                        UuidIssuer.class,
                        directory.toString(),
                        files.toString(),
                        Integer.toString(generators),
                        Integer.toString(OF_EACH)));
            }
            for (Process process : processes) {
                assertThat(process.inputReader().readLine()).isEqualTo("ready");
            }
            for (Process process : processes) {
                process.outputWriter().write('\n');
                process.outputWriter().flush();
            }
            for (Process process : processes) {
                assertThat(process.waitFor()).isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    /** Of what each has issued the next one, in the order of all; returns how many they were. */
    private static long merge(List<Issued> all) throws IOException {
        PriorityQueue<Issued> next = new PriorityQueue<>(UuidsOfSeveralProcessesTest::compare);
        next.addAll(all);
        long count = 0;
        long high = 0;
        long ofId = 0;
        while (!next.isEmpty()) {
            Issued least = next.remove();
            if (least.high == high && least.low >>> RANDOM_BITS == ofId) {
                assertThat(least.uuid()).as("equal but for its random bits").isNull();
            }
            high = least.high;
            ofId = least.low >>> RANDOM_BITS;
            count++;
            if (least.advance()) {
                next.add(least);
            }
        }
        return count;
    }

    private static int compare(Issued one, Issued other) {
        int highs = Long.compareUnsigned(one.high, other.high);
        return highs != 0 ? highs : Long.compareUnsigned(one.low, other.low);
    }

    /** What a generator has issued, one after another. */
    private static final class Issued {
        private final DataInputStream in;
        private int left = OF_EACH;
        private int workerId = -1;
        private long high;
        private long low;

        Issued(Path file) throws IOException {
            assertThat(file).hasSize(16L * OF_EACH);
            in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)));
            assertThat(advance()).isTrue();
        }

        boolean advance() throws IOException {
            if (left == 0) {
                in.close();
                return false;
            }
            left--;
            long nextHigh = in.readLong();
            long nextLow = in.readLong();
            int highs = Long.compareUnsigned(high, nextHigh);
            boolean increases = highs < 0 || (highs == 0 && Long.compareUnsigned(low, nextLow) < 0);
            high = nextHigh;
            low = nextLow;
            SnowflakeLayout layout = SnowflakeLayout.STANDARD;
            // Refuses another version or variant, and what is no id.
            int by = layout.decode(layout.id(uuid())).workerId();
            if (!increases || (workerId >= 0 && by != workerId)) {
                assertThat(uuid())
                        .as("after a greater one, or by another worker id")
                        .isNull();
            }
            workerId = by;
            return true;
        }

        UUID uuid() {
            return new UUID(high, low);
        }
    }
}
