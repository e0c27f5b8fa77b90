// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.SnowflakeSettings;
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
        return Stream.of("", "\n", "limit=1 k=", "\0\0\0\0", "limit=1 k=0" + " ".repeat(1 << 20) + "\n")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    /** Nobody takes its worker id, whoever held it stops, and the others are not concerned. */
    @ParameterizedTest
    @MethodSource("damage")
    void neverTakesADamagedMarkForAValueOrForAbsent(byte[] bytes) throws IOException {
        Files.write(folder.resolve("marks/7"), bytes);

        Stored seen = slot().mark();
        assertThat(seen.value()).contains("marks/7 is damaged", "not one line of text");
        Slot among = coordinator.read(0, 1_023, TIMEOUT).slots().get(7);
        assertThat(among.mark()).isEqualTo(seen);
        assertThat(coordinator.extend(7, new Stored("limit=1 k=0", 0), "x", "token=a", META, TIMEOUT))
                .isInstanceOfSatisfying(
                        CasResult.Rejected.class,
                        rejected -> assertThat(rejected.seen().mark()).isEqualTo(seen));
        for (Stored expected : new Stored[] {null, new Stored("limit=1 k=0", 0), seen, new Stored(seen.value(), 0)}) {
            assertThat(coordinator.claim(7, expected, "x", "y", true, META, TIMEOUT))
                    .isInstanceOf(CasResult.Rejected.class);
        }
        assertThat(Files.readAllBytes(folder.resolve("marks/7"))).isEqualTo(bytes);
        assertThat(coordinator.claim(8, null, "limit=1", "token=b", false, META, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);
    }

    @Test
    void generatorsStartBesideADamagedMarkAndNeverUseIts() throws IOException {
        Map<String, String> keys = new HashMap<>(Map.of(
                "snowflake.coordinator", "file",
                "snowflake.file.directory", directory.toString(),
                "snowflake.namespace", "damaged",
                "snowflake.worker-ids", "0-1"));
        LeasedSnowflake.open(SnowflakeSettings.of(keys)).close();
        Files.writeString(directory.resolve("damaged/marks/0"), "limit=1 k=");
        for (int i = 0; i < 5; i++) {
            try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(keys))) {
                assertThat(ids.status().workerId()).hasValue(1);
                assertThat(ids.nextId()).isPositive();
            }
        }
        keys.put("snowflake.worker-ids", "0");
        keys.put("snowflake.window", "PT3S");
        keys.put("snowflake.startup-timeout", "PT5S");
        assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(keys)))
                .isInstanceOf(NoFreeWorkerIdException.class)
                .hasMessageContaining("1 have marks that cannot be read");
    }

    @Test
    @Timeout(60)
    void readsNoMoreOfAFileThanALineCanHold() throws Exception {
        try (RandomAccessFile huge =
                new RandomAccessFile(folder.resolve("marks/7").toFile(), "rw")) {
            huge.setLength(3L << 30);
        }
        assertThat(slot().mark().value()).contains("marks/7 is damaged: more than 1048576 bytes");

        Files.delete(folder.resolve("marks/7"));
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("marks/7").toString())
                        .start()
                        .waitFor())
                .isZero();
        assertThat(slot().mark().value()).contains("marks/7 is damaged: it is no file");
    }

    @Test
    void damagedRecordIsSaidAndNotReplaced() throws IOException {
        Files.writeString(folder.resolve("meta"), "met");

        assertThatThrownBy(this::slot)
                .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                        .isTrue())
                .hasMessageContaining("meta is damaged: 3 bytes")
                .hasMessageContaining("Restore the disk");
        assertThatThrownBy(() -> coordinator.writeMeta(null, "x", TIMEOUT)).isInstanceOf(CoordinatorException.class);
        assertThat(Files.readString(folder.resolve("meta"))).isEqualTo("met");
    }

    @Test
    void writesNeverWhereAPlantedLinkLeads() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        for (String planted : new String[] {"marks/.tmp", "workers/.tmp", ".tmp"}) {
            Files.createSymbolicLink(folder.resolve(planted), victim);
        }

        assertThat(coordinator.extend(7, slot().mark(), "limit=2", "token=a", META, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);
        assertThat(coordinator.writeMeta(META, "meta two", TIMEOUT)).isInstanceOf(CasResult.Applied.class);

        assertThat(Files.readString(victim)).isEqualTo("precious");
        assertThat(slot().mark().value()).isEqualTo("limit=2");
        assertThat(folder.resolve("marks/7")).isRegularFile();
        assertThat(Files.isSymbolicLink(folder.resolve("marks/7"))).isFalse();
    }

    @Test
    void locksNothingWhereAPlantedLinkLeads() throws IOException {
        Path victim = directory.resolve("victim");
        Path planted = Files.createDirectories(directory.resolve("planted").resolve(Peer.NAMESPACE));
        Files.createSymbolicLink(planted.resolve(".lock"), victim);

        try (WorkerCoordinator linked = Peer.open(directory.resolve("planted"), TIMEOUT)) {
            assertThatThrownBy(() -> linked.writeMeta(null, "meta", TIMEOUT)).isInstanceOf(CoordinatorException.class);
        }
        assertThat(victim).doesNotExist();
    }

    // its opening never ended, and whoever else opened one in this process waited for that
    @Test
    void aPipeInPlaceOfTheLockIsSaidToBeInTheWay() throws Exception {
        Path planted = directory.resolve("planted");
        Path pipe = Files.createDirectories(planted.resolve(Peer.NAMESPACE)).resolve(".lock");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        FutureTask<Void> refusal = new FutureTask<>(
                () -> assertRefusedAtOnce(
                        planted, Peer.NAMESPACE, pipe + ": it is no file. Something else is in the way"),
                null);
        Thread opening = new Thread(refusal, "opening");
        opening.setDaemon(true);
        opening.start();
        try {
            refusal.get(60, TimeUnit.SECONDS);
        } finally {
            // Whoever opens it goes on when somebody reads from it.
            new RandomAccessFile(pipe.toFile(), "rw").close();
        }
    }

    private List<Path> tree() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.sorted().toList();
        }
    }

    @Test
    void readingWhatIsNotThereCreatesNothing() throws IOException {
        List<Path> before = tree();
        for (String namespace : new String[] {"mistyped", Peer.NAMESPACE + "/orders", "a/b/c"}) {
            for (Path place : new Path[] {directory, directory.resolve("nowhere/yet")}) {
                try (WorkerCoordinator reader = Peer.open(place, namespace, TIMEOUT)) {
                    Snapshot seen = reader.read(3, 4, TIMEOUT);

                    assertThat(seen.meta()).isNull();
                    assertThat(seen.slots()).containsExactly(new Slot(3, null, null), new Slot(4, null, null));
                }
            }
        }

        assertThat(tree()).isEqualTo(before);
    }

    @Test
    void readingAboveAnotherNamespaceCreatesNothing() throws IOException {
        try (WorkerCoordinator below = Peer.open(directory, "above/below", TIMEOUT);
                WorkerCoordinator above = Peer.open(directory, "above", TIMEOUT)) {
            below.writeMeta(null, "meta", TIMEOUT);
            List<Path> before = tree();

            assertThat(above.read(0, 1_023, TIMEOUT).meta()).isNull();

            assertThat(tree()).isEqualTo(before);
        }
    }

    private static void assertRefusedAtOnce(Path place, String namespace, String said) {
        try (WorkerCoordinator unusable = Peer.open(place, namespace, TIMEOUT)) {
            assertThatThrownBy(() -> unusable.writeMeta(null, "meta", TIMEOUT))
                    .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                            .isTrue())
                    .hasMessageContaining("snowflake.file.directory=" + place)
                    .hasMessageContaining(said);
        }
    }

    @Test
    void saysWhatIsWrongWhereWaitingCanNotCureIt() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "no folder");

        assertRefusedAtOnce(file, "ns", file + " is no folder");
        assertRefusedAtOnce(file.resolve("below"), "ns", file + " is no folder");
        assertRefusedAtOnce(directory, "file", file + " is no folder");
        assertRefusedAtOnce(directory, "n".repeat(256), "longer than 255 bytes");
        assertRefusedAtOnce(directory.resolve("\u00e9".repeat(128)), "ns", "longer than 255 bytes");
        assertRefusedAtOnce(Path.of("/proc/x"), "ns", "Nobody can create a folder in /proc");
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
        coordinator.extend(7, slot().mark(), "limit=2", "token=a", META, TIMEOUT);
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

        CasResult result = coordinator.extend(7, new Stored("limit=1 k=0", 0), "limit=2", "token=a", META, TIMEOUT);

        assertThat(result).isEqualTo(new CasResult.Rejected(null, new Slot(7, null, null)));
        try (WorkerCoordinator other = Peer.open(directory, TIMEOUT)) {
            other.writeMeta(null, "new", TIMEOUT);
            assertThat(coordinator.read(7, 7, TIMEOUT).meta()).isEqualTo(new Stored("new", 0));
        }
    }

    @Test
    void doesNotGuardWithALockThatWasDeletedWhileItWaited() throws Exception {
        AtomicReference<CasResult> result = new AtomicReference<>();
        Thread waiting = new Thread(() ->
                result.set(coordinator.extend(7, new Stored("limit=1 k=0", 0), "limit=2", "token=a", META, TIMEOUT)));
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
