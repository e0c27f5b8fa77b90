// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.file.Peer.Remote;

/** What only real processes can show: signs of life that end with a process, or don't. */
class SeveralProcessesTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    @Test
    void aKilledProcessOwnsNothingAtOnce() throws Exception {
        try (Remote observer = new Remote(directory, LONG, "")) {
            try (Remote holder = new Remote(directory, LONG, "")) {
                assertThat(holder.tell("claim 7 a")).isEqualTo("applied, owner held: true");
                assertThat(observer.tell("owner 7")).isEqualTo("owner-a");
            }

            assertThat(observer.tell("owner 7")).isEqualTo("null");
            assertThat(observer.tell("mark 7")).isEqualTo("a");
            assertThat(observer.tell("claim 7 b")).isEqualTo("applied, owner held: true");
        }
    }

    @Test
    void aFrozenProcessLosesItsWorkerIdAndNoticesWhenItWakes() throws Exception {
        try (Remote frozen = new Remote(directory, SHORT, "");
                Remote other = new Remote(directory, LONG, "")) {
            assertThat(frozen.tell("claim 7 a")).isEqualTo("applied, owner held: true");
            frozen.signal("STOP");

            String owner = other.tell("owner 7");
            long end = System.nanoTime() + SHORT.multipliedBy(90).toNanos();
            while (owner.equals("owner-a") && System.nanoTime() - end < 0) {
                owner = other.tell("owner 7");
            }
            assertThat(owner).isEqualTo("null");
            assertThat(other.tell("claim 7 b")).isEqualTo("applied, owner held: true");

            frozen.signal("CONT");
            assertThat(frozen.tell("extend-from 7 a c")).isEqualTo("Rejected");
            assertThat(frozen.tell("close")).isEqualTo("closed");
            assertThat(other.tell("owner 7")).isEqualTo("owner-b");
            assertThat(other.tell("extend 7 d")).isEqualTo("applied, owner held: true");
        }
    }

    @Test
    void closingOneCoordinatorLeavesTheSignOfAnotherInTheSameProcess() throws Exception {
        Peer staying = new Peer(directory + "\n" + LONG);
        Peer leaving = new Peer(directory + "\n" + LONG);
        try (Remote observer = new Remote(directory, LONG, "")) {
            assertThat(staying.apply("claim 7 a")).isEqualTo("applied, owner held: true");
            assertThat(leaving.apply("claim 8 b")).isEqualTo("applied, owner held: true");

            leaving.apply("close");

            assertThat(observer.tell("owner 7")).isEqualTo("owner-a");
            assertThat(observer.tell("owner 8")).isEqualTo("null");
            assertThat(staying.apply("extend 7 c")).isEqualTo("applied, owner held: true");
        } finally {
            staying.apply("close");
        }
    }

    @Test
    void anInterruptDropsNoSignOfLife() throws Exception {
        Peer peer = new Peer(directory + "\n" + LONG);
        try (Remote observer = new Remote(directory, LONG, "")) {
            peer.apply("claim 7 a");
            AtomicBoolean enough = new AtomicBoolean();
            Thread interrupted = new Thread(() -> {
                for (int i = 0; !enough.get(); i++) {
                    peer.apply("extend 7 b" + i);
                    Thread.interrupted();
                }
            });
            interrupted.start();
            for (int i = 0; i < 1000; i++) {
                interrupted.interrupt();
                LockSupport.parkNanos(500_000);
            }
            enough.set(true);
            interrupted.join();

            assertThat(peer.apply("extend 7 c")).isEqualTo("applied, owner held: true");
            assertThat(observer.tell("owner 7")).isEqualTo("owner-a");
        } finally {
            peer.apply("close");
        }
    }

    @Test
    void aDiskThatTakesOnlyPartOfAWriteShowsTheOldMark() throws Exception {
        try (Remote limited = new Remote(directory, LONG, "ulimit -f 4;");
                Remote observer = new Remote(directory, LONG, "")) {
            assertThat(limited.tell("claim 7 a")).isEqualTo("applied, owner held: true");

            assertThat(limited.tell("long 7 100000")).startsWith("unknown: ").contains("File too large");

            assertThat(observer.tell("mark 7")).isEqualTo("a");
            assertThat(observer.tell("owner 7")).isEqualTo("owner-a");
            assertThat(limited.tell("extend 7 b")).isEqualTo("applied, owner held: true");
            try (Stream<Path> versions = Files.list(directory.resolve("peers/marks/7"))) {
                assertThat(versions)
                        .singleElement()
                        .satisfies(version -> assertThat(version).content().startsWith("b\nexpires="));
            }
        }
    }
}
