// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    private static boolean isTaken(int port) throws Exception {
        Path lock = Path.of(
                System.getProperty("java.io.tmpdir"),
                "test-ports-" + System.getProperty("user.name"),
                Integer.toString(port));
        try (FileChannel file = FileChannel.open(lock, StandardOpenOption.WRITE)) {
            return file.tryLock() == null;
        } catch (OverlappingFileLockException byThisProcess) {
            return true;
        }
    }

    // the lock went with its channel: another process had the port while its server was being started again
    @Test
    void aPortStaysOursThoughTheGarbageIsCollected() throws Exception {
        int port = FreePorts.next();
        WeakReference<Object> garbage = new WeakReference<>(new Object());
        for (int collections = 0; garbage.get() != null || collections < 3; collections++) {
            System.gc();
            Thread.sleep(100);
        }

        assertThat(isTaken(port)).isTrue();
    }

    @Test
    void nobodyGetsOneTwice() {
        assertThat(FreePorts.next()).isNotEqualTo(FreePorts.next());
    }
}
