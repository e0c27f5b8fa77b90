// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/** What lies on the disk, and what somebody may do to it. */
class NamespaceFolderTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Stored META = new Stored("meta", 0);

    @TempDir
    Path directory;

    private WorkerCoordinator coordinator;
    private Path folder;

    @BeforeEach
    void claim() {
        coordinator = Peer.open(directory, Duration.ofMinutes(10));
        folder = directory.resolve(Peer.NAMESPACE);
        coordinator.writeMeta(null, META.value(), TIMEOUT);
        CasResult claimed = coordinator.claim(7, null, "limit=1 k=0", "token=a", false, META, TIMEOUT);
        assertThat(claimed).isInstanceOf(CasResult.Applied.class);
    }

    @AfterEach
    void close() {
        coordinator.close();
    }

    private Slot slot() {
        return coordinator.read(7, 7, TIMEOUT).slots().get(0);
    }

    @Test
    void keepsOneReadableLinePerFile() throws IOException {
        assertThat(Files.readString(folder.resolve("meta"))).isEqualTo("meta\n");
        assertThat(Files.readString(folder.resolve("marks/7"))).isEqualTo("limit=1 k=0\n");
        assertThat(Files.readString(folder.resolve("workers/7"))).matches("lock=\\d+ until=\\S+Z token=a\n");
        try (Stream<Path> all = Files.walk(folder)) {
            assertThat(all.filter(Files::isRegularFile)
                            .map(file -> folder.relativize(file).toString()))
                    .containsExactlyInAnyOrder(".lock", "meta", "marks/7", "workers/7");
        }
    }

    static Stream<byte[]> damage() {
        return Stream.of("", "\n", "limit=1 k=", "\0\0\0\0").map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("damage")
    void neverTakesADamagedMarkForAValueOrForAbsent(byte[] bytes) throws IOException {
        Files.write(folder.resolve("marks/7"), bytes);

        assertThatThrownBy(this::slot)
                .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                        .isTrue())
                .hasMessageContaining("marks/7 is damaged");
        assertThatThrownBy(() -> coordinator.extend(7, new Stored("limit=1 k=0", 0), "x", META, TIMEOUT))
                .isInstanceOf(CoordinatorException.class);
        assertThatThrownBy(() -> coordinator.claim(7, null, "x", "y", true, META, TIMEOUT))
                .isInstanceOf(CoordinatorException.class);
        assertThat(Files.readAllBytes(folder.resolve("marks/7"))).isEqualTo(bytes);
    }

    @Test
    void takesADamagedOwnerForAbsent() throws IOException {
        Files.writeString(folder.resolve("workers/7"), "lock=12");

        assertThat(slot().owner()).isNull();
        assertThat(coordinator.claim(7, slot().mark(), "limit=2", "token=b", false, META, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);
        assertThat(slot().owner()).isEqualTo("token=b");
    }

    @Test
    void leftoversOfAKilledProcessDoNoHarmAndGo() throws IOException {
        for (String leftover : new String[] {"marks/.tmp", "workers/.tmp", ".tmp"}) {
            Files.writeString(folder.resolve(leftover), "limit=999 ");
        }

        Snapshot all = coordinator.read(0, 1023, TIMEOUT);
        coordinator.extend(7, slot().mark(), "limit=2", META, TIMEOUT);
        coordinator.writeMeta(META, "meta two", TIMEOUT);

        assertThat(all.slots().stream().filter(slot -> slot.mark() != null)).hasSize(1);
        assertThat(slot().mark().value()).isEqualTo("limit=2");
        assertThat(folder.resolve("marks/.tmp")).doesNotExist();
        assertThat(folder.resolve("workers/.tmp")).doesNotExist();
        assertThat(folder.resolve(".tmp")).doesNotExist();
    }

    @Test
    void showsThatItsFolderWasEmptiedAndDoesNotGuardWithADeletedLock() throws IOException {
        empty();

        CasResult result = coordinator.extend(7, new Stored("limit=1 k=0", 0), "limit=2", META, TIMEOUT);

        assertThat(result).isEqualTo(new CasResult.Rejected(null, new Slot(7, null, null)));
        try (WorkerCoordinator other = Peer.open(directory, TIMEOUT)) {
            other.writeMeta(null, "new", TIMEOUT);
            assertThat(coordinator.read(7, 7, TIMEOUT).meta()).isEqualTo(new Stored("new", 0));
        }
    }

    @Test
    void doesNotGuardWithALockThatWasDeletedWhileItWaited() throws Exception {
        AtomicReference<CasResult> result = new AtomicReference<>();
        Thread waiting = new Thread(
                () -> result.set(coordinator.extend(7, new Stored("limit=1 k=0", 0), "limit=2", META, TIMEOUT)));
        try (HeldLock held = new HeldLock(folder)) {
            assertThat(held).isNotNull();
            waiting.start();
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            empty();
        }
        waiting.join();

        assertThat(result.get()).isEqualTo(new CasResult.Rejected(null, new Slot(7, null, null)));
        assertThat(folder.resolve(".lock")).exists();
    }

    private void empty() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        }
    }

    @Test
    void waitsForItsDirectoryWhenThatIsGone() throws IOException {
        Path away = directory.resolveSibling(directory.getFileName() + ".away");
        Files.move(directory, away);

        assertThatThrownBy(this::slot)
                .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                        .isFalse())
                .hasMessageContaining("is gone");

        Files.move(away, directory);
        assertThat(slot().mark().value()).isEqualTo("limit=1 k=0");
        assertThat(slot().owner()).isEqualTo("token=a");
    }

    @Test
    void saysThatTheDirectoryCannotBeUsed() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "no folder");

        try (WorkerCoordinator unusable = Peer.open(file, TIMEOUT)) {
            assertThatThrownBy(() -> unusable.read(0, 0, TIMEOUT))
                    .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                            .isTrue())
                    .hasMessageContaining("snowflake.file.directory=" + file);
        }
    }

    @Test
    void leaksNeitherFilesNorThreads() {
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long filesBefore = system.getOpenFileDescriptorCount();
        int threadsBefore = Thread.activeCount();

        for (int i = 0; i < 100; i++) {
            WorkerCoordinator each = Peer.open(directory.resolve("d" + i % 10), TIMEOUT);
            each.writeMeta(null, "meta", TIMEOUT);
            each.claim(i, null, "limit=1", "token=" + i, false, META, TIMEOUT);
            each.close();
        }

        // Other tests run beside this one and have a few of their own.
        assertThat(system.getOpenFileDescriptorCount() - filesBefore).isLessThan(50);
        assertThat(Thread.activeCount() - threadsBefore).isLessThan(50);
        assertThat(System.getProperties().get("org.snowflakeid.file.locks").toString())
                .doesNotContain("d0/");
    }
}
