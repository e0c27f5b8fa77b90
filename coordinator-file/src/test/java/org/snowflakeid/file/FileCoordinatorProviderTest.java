// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.files.LocalFileSystems;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;

class FileCoordinatorProviderTest {

    private static WorkerCoordinator open(Map<String, String> settings) {
        return new FileCoordinatorProvider()
                .open(new CoordinatorConfig("orders", "ns", Duration.ofSeconds(10), settings::get), () -> {});
    }

    @Test
    void refusesToStartWithoutAFolder() {
        assertThatThrownBy(() -> open(Map.of()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake 'orders'")
                .hasMessageContaining("snowflake.file.directory is not set");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ids", "./ids", "a\0b"})
    void refusesWhatIsNoFullPath(String value) {
        assertThatThrownBy(() -> open(Map.of("snowflake.file.directory", value)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake.file.directory=" + value.replace("\0", "\\u0000"));
    }

    @Test
    void declaresTheKeysThatItReads(@TempDir Path directory) {
        Set<String> read = new TreeSet<>();
        FileCoordinatorProvider provider = new FileCoordinatorProvider();

        provider.open(
                        new CoordinatorConfig("orders", "ns", Duration.ofSeconds(10), key -> {
                            read.add(key);
                            return directory.toString();
                        }),
                        () -> {})
                .close();

        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }

    @Test
    void createsTheFolderAtTheFirstWriteAndNotBefore(@TempDir Path parent) {
        Path directory = parent.resolve("a").resolve("b");

        try (WorkerCoordinator coordinator = open(Map.of("snowflake.file.directory", directory.toString()))) {
            assertThat(directory).doesNotExist();
            coordinator.read(0, 0, Duration.ofSeconds(10));
            assertThat(directory).doesNotExist();
            coordinator.writeMeta(null, "meta", Duration.ofSeconds(10));
            assertThat(directory.resolve("ns").resolve("meta")).isDirectory();
        }
    }

    @Test
    void tellsWhatWouldBeLostInMemoryAndInAPod() {
        String directory = Surroundings.named(Path.of("/data/ids"), Path.of("/data/ids"));

        assertThat(Surroundings.doubts(directory, "ext4", null)).isEmpty();
        assertThat(Surroundings.doubts(directory, "tmpfs", null))
                .singleElement()
                .asString()
                .contains("snowflake.file.directory=/data/ids is in memory (tmpfs)", "all marks are gone");
        // 250 ids of two containers were the same, and no word was said
        assertThat(Surroundings.doubts(directory, "overlay", null))
                .singleElement()
                .asString()
                .contains("snowflake.file.directory=/data/ids is in a layer of a container (overlay)", "ids repeat");
        assertThat(Surroundings.doubts(directory, "overlay", "10.0.0.1")).hasSize(2);
        assertThat(Surroundings.doubts(directory, "ext4", "10.0.0.1"))
                .singleElement()
                .asString()
                .contains("snowflake.file.directory=/data/ids is used in a pod", "with no other pod", "ids repeat");
        assertThat(Surroundings.doubts(directory, "tmpfs", "10.0.0.1")).hasSize(2);
    }

    @Test
    void warnsOfMemoryAndOfPodsAtTheFirstWrite() throws Exception {
        Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "snowflake-test-");
        try {
            String said = saidByWhoClaimsIn(memory);

            assertThat(said).contains("applied, owner held: true");
            assertThat(said).containsOnlyOnce("is in memory (tmpfs)");
            assertThat(said).contains("snowflake.file.directory=" + memory + " is in memory (tmpfs)");
            assertThat(said).doesNotContain("in a pod");
        } finally {
            delete(memory);
        }
    }

    @Test
    void warnsOfMarksThatALinkKeepsInMemory(@TempDir Path disk) throws Exception {
        Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "snowflake-test-");
        try {
            Path marks = Files.createDirectories(disk.resolve(Peer.NAMESPACE)).resolve("marks");
            Files.createSymbolicLink(marks, memory);

            String said = saidByWhoClaimsIn(disk);

            assertThat(said).contains("applied, owner held: true");
            assertThat(said).contains("snowflake.file.directory=" + disk + " (" + marks + ") is in memory (tmpfs)");
        } finally {
            delete(memory);
        }
    }

    private static String saidByWhoClaimsIn(Path folder) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Peer.class.getName(),
                        folder.toString(),
                        "PT10S")
                .redirectErrorStream(true)
                .start();
        try (Writer in = process.outputWriter()) {
            in.write("claim 3 limit=1\nclaim 4 limit=1\n");
        }
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        }
    }

    @Test
    void warnsInAPod(@TempDir Path directory) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Peer.class.getName(),
                        directory.toString(),
                        "PT10S")
                .redirectErrorStream(true);
        builder.environment().put("KUBERNETES_SERVICE_HOST", "10.0.0.1");
        Process process = builder.start();
        try (Writer in = process.outputWriter()) {
            in.write("claim 3 limit=1\n");
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(said).contains("WARNING", "is used in a pod", "applied, owner held: true");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "cifs",
                "smb2",
                "smb3",
                "smbfs",
                "9p",
                "ceph",
                "fuse.sshfs",
                "fuse.glusterfs",
                "fuse",
                "fuse.ceph-fuse",
                "fuse.s3fs",
                "virtiofs",
                "vboxsf",
                "lustre",
                "gfs2",
                "ocfs2",
                "afs",
                "auristorfs",
                "cvfs",
                "cxfs",
                "fhgfs",
                "panfs",
                "NFS"
            })
    void knowsFileSystemsThatSeveralHostsShare(String type) {
        assertThat(LocalFileSystems.isLocal(type)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ext4",
                "xfs",
                "btrfs",
                "tmpfs",
                "overlay",
                "zfs",
                "apfs",
                "f2fs",
                "NTFS",
                "fuseblk",
                "fuse.fuse-overlayfs"
            })
    void knowsFileSystemsOfOneHost(String type) {
        assertThat(LocalFileSystems.isLocal(type)).isTrue();
    }
}
