// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreePortsTest {

    /** Whether another process can have this lock. */
    static final class Lock {
        private Lock() {}

        public static void main(String[] args) throws IOException {
            try (FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
                System.exit(file.tryLock() == null ? 1 : 0);
            }
        }
    }

    private static boolean isForAnotherProcess(Path lock) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Lock.class.getName(),
                        lock.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isIn(0, 1);
        return process.exitValue() == 0;
    }

    // the lock went with its channel: another process had the port while its server was being started again
    @Test
    void aPortStaysOursThoughTheGarbageIsCollected(@TempDir Path folder) throws Exception {
        int port = FreePorts.next();
        Path forgotten = Files.createFile(folder.resolve("forgotten"));
        assertThat(FileChannel.open(forgotten, StandardOpenOption.WRITE).tryLock())
                .isNotNull();
        while (!isForAnotherProcess(forgotten)) {
            System.gc();
        }

        assertThat(isForAnotherProcess(FreePorts.lockOf(port))).isFalse();
    }

    @Test
    void aPortStaysOursThoughItIsDrawnAgain() throws Exception {
        int port = FreePorts.next();

        assertThat(FreePorts.isLocked(port)).isFalse();
        assertThat(isForAnotherProcess(FreePorts.lockOf(port))).isFalse();
    }

    @Test
    void noPortIsGivenTwice() {
        assertThat(FreePorts.next()).isNotEqualTo(FreePorts.next());
    }
}
