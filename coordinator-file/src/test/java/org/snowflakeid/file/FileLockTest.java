// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinator.Extension;

/** The lock under which everything is read and written, where something goes wrong while it is held. */
class FileLockTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Stored META = new Stored("meta", 0);

    @TempDir
    Path directory;

    private WorkerCoordinator open(Path path) {
        return Peer.open(path, Duration.ofMinutes(10));
    }

    // no process of the host could read or write any more
    @Test
    void isLetGoAfterAnError() {
        OutOfMemoryError error = new OutOfMemoryError("planted");
        List<Extension> failing = new AbstractList<>() {
            @Override
            public Extension get(int index) {
                throw error;
            }

            @Override
            public int size() {
                return 1;
            }
        };
        try (WorkerCoordinator coordinator = open(directory)) {
            coordinator.writeMeta(null, META.value(), TIMEOUT);

            assertThatThrownBy(() -> coordinator.extendAll(failing, META, TIMEOUT))
                    .isSameAs(error);

            assertThat(coordinator.read(7, 7, TIMEOUT).meta()).isEqualTo(META);
        }
    }

    // two processes wrote at the same time, each under a lock of its own
    @Test
    void isThatOfTheFolderThatALinkLeadsToNow() throws IOException {
        Path one = Files.createDirectories(directory.resolve("one"));
        Path other = Files.createDirectories(directory.resolve("other"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), one);
        try (WorkerCoordinator moved = open(link);
                WorkerCoordinator there = open(other)) {
            moved.writeMeta(null, META.value(), TIMEOUT);
            there.writeMeta(null, META.value(), TIMEOUT);
            Files.delete(link);
            Files.createSymbolicLink(link, other);

            HeldLock held = new HeldLock(other.resolve(Peer.NAMESPACE));
            try {
                assertThatThrownBy(() -> moved.read(7, 7, Duration.ofMillis(300)))
                        .hasMessageContaining("another process holds");
            } finally {
                held.close();
            }

            assertThat(moved.read(7, 7, TIMEOUT).meta()).isEqualTo(META);
        }
    }

    // it went on for as long as that took, and all others waited
    @Test
    void isNotHeldBeyondTheTimeoutWhereManyAreExtended() {
        try (WorkerCoordinator coordinator = open(directory)) {
            coordinator.writeMeta(null, META.value(), TIMEOUT);
            CasResult claimed = coordinator.claim(7, null, "limit=1 k=0", "token=a", false, META, TIMEOUT);
            Stored mark = ((CasResult.Applied) claimed).written();
            List<Extension> many = Collections.nCopies(200_000, new Extension(7, mark, "limit=2 k=1", "token=a"));

            List<CasResult> results = coordinator.extendAll(many, META, Duration.ofMillis(300));

            assertThat(results).hasSameSizeAs(many);
            assertThat(results.get(0)).isInstanceOf(CasResult.Applied.class);
            assertThat(results.get(many.size() - 1))
                    .isInstanceOfSatisfying(CasResult.Unknown.class, late -> assertThat(late.cause())
                            .hasMessageContaining("too slow to extend all worker ids"));
        }
    }

    // all others waited for as long as that took
    @Test
    void isNotHeldBeyondTheTimeoutWhereManyAreRead() {
        try (WorkerCoordinator coordinator = open(directory)) {
            coordinator.writeMeta(null, META.value(), TIMEOUT);

            assertThatThrownBy(() -> coordinator.read(0, 3_000_000, Duration.ofNanos(1)))
                    .isInstanceOfSatisfying(CoordinatorException.class, late -> assertThat(late.permanent())
                            .isFalse())
                    .hasMessageContaining("too slow to read the worker ids from 0 to 3000000");

            assertThat(coordinator.read(0, 3_000, TIMEOUT).meta()).isEqualTo(META);
        }
    }
}
