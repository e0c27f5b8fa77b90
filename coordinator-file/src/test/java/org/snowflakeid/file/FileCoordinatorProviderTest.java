// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Key;
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

        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }

    @Test
    void createsTheFolderAtTheFirstCallAndNotBefore(@TempDir Path parent) {
        Path directory = parent.resolve("a").resolve("b");

        try (WorkerCoordinator coordinator = open(Map.of("snowflake.file.directory", directory.toString()))) {
            assertThat(directory).doesNotExist();
            coordinator.read(0, 0, Duration.ofSeconds(10));
            assertThat(directory.resolve("ns").resolve("marks")).isDirectory();
        }
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
