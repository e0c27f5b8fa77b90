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
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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

/** What lies on the disk, and what else may be done to it there. */
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

    /** The one file of a record. */
    private Path version(String record) throws IOException {
        try (Stream<Path> versions = Files.list(folder.resolve(record))) {
            List<Path> all = versions.toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }

    @Test
    void keepsReadableLinesInOneFilePerRecord() throws IOException {
        coordinator.extend(7, slot().mark(), "limit=2 k=1", "token=a", META, TIMEOUT);

        assertThat(folder.resolve("meta/1")).hasContent("meta\n");
        assertThat(Files.readString(folder.resolve("marks/7/2")))
                .matches("limit=2 k=1\nexpires=\\S+Z token=a\nalive=\\d+-\\d+-[0-9a-f]+\n");
        try (Stream<Path> all = Files.walk(folder)) {
            assertThat(all.filter(Files::isRegularFile)
                            .map(file -> folder.relativize(file).toString()))
                    .filteredOn(name -> !name.startsWith("processes/"))
                    .containsExactlyInAnyOrder("meta/1", "marks/7/2");
        }
    }

    static Stream<byte[]> damage() {
        return Stream.of("", "\n", "limit=1 k=", "\0\0\0\0", "limit=1 k=0" + " ".repeat(1 << 20) + "\n")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    /** No process claims its worker id, its holder stops, and the other worker ids are not affected. */
    @ParameterizedTest
    @MethodSource("damage")
    void neverTakesADamagedMarkForAValueOrForAbsent(byte[] bytes) throws IOException {
        Path file = version("marks/7");
        Files.write(file, bytes);

        Stored seen = slot().mark();
        assertThat(seen.value()).contains("marks/7/1 is damaged", "not lines of text");
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
        assertThat(version("marks/7")).isEqualTo(file).hasBinaryContent(bytes);
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
        Path mark = Files.createDirectories(directory.resolve("damaged/marks/0"));
        Files.writeString(mark.resolve("99"), "limit=1 k=");
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
                new RandomAccessFile(folder.resolve("marks/7/1").toFile(), "rw")) {
            huge.setLength(3L << 30);
        }
        assertThat(slot().mark().value()).contains("marks/7/1 is damaged: more than 1048576 bytes");

        Files.delete(folder.resolve("marks/7/1"));
        assertThat(new ProcessBuilder("mkfifo", folder.resolve("marks/7/1").toString())
                        .start()
                        .waitFor())
                .isZero();
        assertThat(slot().mark().value()).contains("marks/7/1 is damaged: it is no file");
    }

    @Test
    void damagedRecordIsSaidAndNotReplaced() throws IOException {
        Files.writeString(folder.resolve("meta/1"), "met");

        assertThatThrownBy(this::slot)
                .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                        .isTrue())
                .hasMessageContaining("meta/1 is damaged: 3 bytes")
                .hasMessageContaining("Restore the disk");
        assertThatThrownBy(() -> coordinator.writeMeta(null, "x", TIMEOUT)).isInstanceOf(CoordinatorException.class);
        assertThat(version("meta")).hasContent("met");
    }

    @Test
    void writesNeverWhereAPlantedLinkLeads() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "precious\n");
        Files.createSymbolicLink(folder.resolve("marks/7/2"), victim);
        Stored planted = slot().mark();

        assertThat(coordinator.claim(7, planted, "limit=2", "token=b", true, META, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);

        assertThat(planted.value()).isEqualTo("precious");
        assertThat(victim).hasContent("precious\n");
        assertThat(slot().mark().value()).isEqualTo("limit=2");
        assertThat(Files.isSymbolicLink(version("marks/7"))).isFalse();
    }

    /** A mark names the file that shows its process alive, and the coordinator deletes that file if the process is dead. */
    @Test
    void neitherLocksNorDeletesWhatIsNoSignOfLife() throws Exception {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        Path pipe = folder.resolve("processes/1-2-3");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        for (String named : new String[] {"../../victim", "1-2-3", victim.toString(), ""}) {
            Files.writeString(
                    version("marks/7"), "limit=1\nexpires=2999-01-01T00:00:00Z token=c\nalive=" + named + "\n");

            assertThat(slot()).isEqualTo(new Slot(7, new Stored("limit=1", 0), null));
            assertThat(victim).hasContent("precious");
            assertThat(pipe).exists();
        }
    }

    @Test
    void refusesAFolderOfAnEarlierVersion() throws IOException {
        Path old = Files.createDirectories(directory.resolve("old").resolve(Peer.NAMESPACE));
        Files.writeString(old.resolve("meta"), "meta\n");
        Files.writeString(Files.createDirectory(old.resolve("marks")).resolve("7"), "limit=1 k=0\n");

        try (WorkerCoordinator refused = Peer.open(directory.resolve("old"), TIMEOUT)) {
            assertRefused(() -> refused.read(0, 1_023, TIMEOUT));
            assertRefused(() -> refused.writeMeta(null, "meta", TIMEOUT));
            Files.delete(old.resolve("meta"));
            assertRefused(() -> refused.read(7, 7, TIMEOUT));
        }
        assertThat(old.resolve("marks/7")).hasContent("limit=1 k=0");
    }

    @Test
    void convertsAFolderOfAnEarlierVersionAsThePageSays() throws Exception {
        Path old = Files.createDirectories(directory.resolve("old").resolve(Peer.NAMESPACE));
        Files.writeString(old.resolve("meta"), "meta\n");
        Files.createFile(old.resolve(".lock"));
        Files.writeString(Files.createDirectory(old.resolve("marks")).resolve("7"), "limit=1 k=0\n");
        Files.writeString(Files.createDirectory(old.resolve("workers")).resolve("7"), "lock=7 until=x token=a\n");
        String commands = Files.readString(Path.of("../docs/coordinator-file.md"))
                .replaceFirst("(?s).*```sh\n(.*?)```.*", "$1")
                .replace("/var/lib/my-application/worker-ids/snowflake", old.toString());

        Process converting =
                new ProcessBuilder("sh", "-euc", commands).inheritIO().start();

        assertThat(converting.waitFor()).isZero();
        try (WorkerCoordinator converted = Peer.open(directory.resolve("old"), TIMEOUT)) {
            Snapshot seen = converted.read(7, 7, TIMEOUT);
            assertThat(seen.meta()).isEqualTo(META);
            assertThat(seen.slots()).containsExactly(new Slot(7, new Stored("limit=1 k=0", 0), null));
            assertThat(converted.claim(7, seen.slots().get(0).mark(), "limit=2", "token=b", false, META, TIMEOUT))
                    .isInstanceOf(CasResult.Applied.class);
        }
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                        .isTrue())
                .hasMessageContaining("was written by an earlier version")
                .hasMessageContaining("docs/coordinator-file.md");
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
        // Even a user with the right to write there, such as root, can't create one.
        boolean mayWrite = Files.isWritable(Path.of("/proc"));
        assertRefusedAtOnce(
                Path.of("/proc/x"),
                "ns",
                mayWrite ? "No folder can be created in /proc" : "the right to write in /proc");
    }

    @Test
    void takesADamagedOwnerForAbsent() throws IOException {
        Files.writeString(version("marks/7"), "limit=1 k=0\nexpi\n");

        assertThat(slot().owner()).isNull();
        assertThat(coordinator.claim(7, slot().mark(), "limit=2", "token=b", false, META, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);
        assertThat(slot().owner()).isEqualTo("token=b");
    }

    @Test
    void leftoversOfAKilledProcessDoNoHarmAndGo() throws IOException {
        List<Path> leftovers = Stream.of("marks/7/1.5e1f", "marks/7/2.abc", "meta/2.0", "processes/1-1-1")
                .map(folder::resolve)
                .toList();
        for (Path leftover : leftovers) {
            Files.writeString(leftover, "limit=999 ");
        }

        Snapshot all = coordinator.read(0, 1023, TIMEOUT);
        coordinator.extend(7, slot().mark(), "limit=2", "token=a", META, TIMEOUT);
        coordinator.writeMeta(META, "meta two", TIMEOUT);
        try (WorkerCoordinator other = Peer.open(directory, TIMEOUT)) {
            other.claim(8, null, "limit=1", "token=c", false, new Stored("meta two", 0), TIMEOUT);
        }

        assertThat(all.slots().stream().filter(slot -> slot.mark() != null)).hasSize(1);
        assertThat(slot().mark().value()).isEqualTo("limit=2");
        assertThat(leftovers).noneMatch(Files::exists);
    }

    @Test
    void showsThatItsFolderWasEmptied() throws IOException {
        empty();

        CasResult result = coordinator.extend(7, new Stored("limit=1 k=0", 0), "limit=2", "token=a", META, TIMEOUT);

        assertThat(result).isEqualTo(new CasResult.Rejected(null, new Slot(7, null, null)));
        try (WorkerCoordinator other = Peer.open(directory, TIMEOUT)) {
            other.writeMeta(null, "new", TIMEOUT);
            assertThat(coordinator.read(7, 7, TIMEOUT).meta()).isEqualTo(new Stored("new", 0));
        }
    }

    // it wrote into the old folder
    @Test
    void writesWhereALinkLeadsNow() throws IOException {
        Path one = Files.createDirectories(directory.resolve("one"));
        Path other = Files.createDirectories(directory.resolve("other"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), one);
        try (WorkerCoordinator moved = Peer.open(link, TIMEOUT);
                WorkerCoordinator there = Peer.open(other, TIMEOUT)) {
            moved.writeMeta(null, META.value(), TIMEOUT);
            there.writeMeta(null, "another", TIMEOUT);
            Files.delete(link);
            Files.createSymbolicLink(link, other);

            assertThat(moved.writeMeta(META, "next", TIMEOUT))
                    .isEqualTo(new CasResult.Rejected(new Stored("another", 0), null));
            assertThat(moved.claim(7, null, "limit=1", "token=b", false, new Stored("another", 0), TIMEOUT))
                    .isInstanceOf(CasResult.Applied.class);
            assertThat(there.read(7, 7, TIMEOUT).slots().get(0).owner()).isEqualTo("token=b");
        }
    }

    @Test
    void aReadEndsWithItsTimeout() {
        try (WorkerCoordinator slow = Peer.open(directory, TIMEOUT)) {
            assertThatThrownBy(() -> slow.read(0, 31, Duration.ofNanos(50_000)))
                    .isInstanceOfSatisfying(CoordinatorException.class, late -> assertThat(late.permanent())
                            .isFalse());
        }
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

    // its namespace counted as lost, and generators stopped for good
    @Test
    void waitsForADiskThatIsNoLongerMountedThere() throws IOException {
        Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "snowflake-test-");
        Path disk = Files.createDirectories(directory.resolve("disk"));
        Path point = Files.createSymbolicLink(directory.resolve("point"), disk);
        try (WorkerCoordinator mounted = Peer.open(point, TIMEOUT)) {
            mounted.writeMeta(null, META.value(), TIMEOUT);
            assertThat(mounted.read(7, 7, TIMEOUT).meta()).isEqualTo(META);
            // As a mount point is without its disk: an empty folder of another one.
            Files.delete(point);
            Files.createSymbolicLink(point, memory);

            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> mounted.read(7, 7, TIMEOUT), () -> mounted.writeMeta(null, "another", TIMEOUT))) {
                assertThatThrownBy(call)
                        .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                                .isFalse())
                        .hasMessageContaining("is gone. Is its disk mounted?");
            }

            Files.delete(point);
            Files.createSymbolicLink(point, disk);
            assertThat(mounted.read(7, 7, TIMEOUT).meta()).isEqualTo(META);
        } finally {
            Files.delete(memory);
        }
    }

    // a start while the disk was not mounted yet ended at once, with the advice to remove the link
    @Test
    void waitsForWhatALinkLeadsTo() throws IOException {
        Path disk = directory.resolve("disk");
        Path link = Files.createSymbolicLink(directory.resolve("link"), disk.resolve("ids"));
        for (Path named : List.of(link, link.resolve("below"))) {
            try (WorkerCoordinator waiting = Peer.open(named, TIMEOUT)) {
                for (ThrowingCallable call : List.<ThrowingCallable>of(
                        () -> waiting.read(0, 0, TIMEOUT), () -> waiting.writeMeta(null, "meta", TIMEOUT))) {
                    assertThatThrownBy(call)
                            .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                                    .isFalse())
                            .hasMessageContaining(
                                    link + " is a link, and where it leads is gone. Is its disk mounted?");
                }
            }
        }

        Files.createDirectories(disk.resolve("ids"));
        try (WorkerCoordinator there = Peer.open(link, TIMEOUT)) {
            assertThat(there.writeMeta(null, META.value(), TIMEOUT)).isInstanceOf(CasResult.Applied.class);
        }
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
    void leaksNeitherFilesNorThreads() throws IOException {
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
        try (Stream<Path> all = Files.walk(directory)) {
            assertThat(all.filter(path -> path.getParent().endsWith("processes")))
                    .hasSize(1);
        }
    }
}
