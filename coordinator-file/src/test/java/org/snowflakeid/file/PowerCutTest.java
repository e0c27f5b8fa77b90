// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.ManualPlatform;

/** A disk that fails, and then a crash of the machine, which leaves no more than was forced. */
class PowerCutTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String KEY = "ns/marks/7";

    @TempDir
    Path directory;

    private final FailingDisk disk = new FailingDisk();

    private static final class FailingDisk implements Versions.Disk {
        private final Map<Path, Set<Path>> forced = new HashMap<>();
        private volatile boolean fails;

        @Override
        public synchronized void force(Path folder) throws IOException {
            if (fails) {
                throw new IOException("the disk fails");
            }
            forced.put(folder, Set.copyOf(list(folder)));
        }

        synchronized void crash() throws IOException {
            for (Map.Entry<Path, Set<Path>> each : forced.entrySet()) {
                Set<Path> lost = new HashSet<>(list(each.getKey()));
                lost.removeAll(each.getValue());
                for (Path file : lost) {
                    Files.delete(file);
                }
            }
        }

        private static List<Path> list(Path folder) throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.toList();
            }
        }
    }

    private FileStore store() {
        return new FileStore(new NamespaceFolder("orders", directory, "ns"), disk);
    }

    private static Entry read(FileStore store) {
        return store.read(List.of(KEY), TIMEOUT).entries().get(KEY);
    }

    /** Who finds its own bytes takes them for granted. */
    @Test
    void aWriteThatMayNotBeOnTheDiskIsForcedBeforeItIsShown() throws IOException {
        FileStore store = store();
        assertThat(store.compareAndSet(KEY, null, "one", TIMEOUT)).isInstanceOf(Write.Applied.class);
        Entry one = read(store);
        disk.fails = true;

        assertThat(store.compareAndSet(KEY, one, "two", TIMEOUT)).isInstanceOf(Write.Unknown.class);
        assertThatThrownBy(() -> read(store))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("the disk fails");

        disk.fails = false;
        assertThat(read(store).value()).isEqualTo("two");
        disk.crash();
        assertThat(read(store).value()).isEqualTo("two");
    }

    /** The mark that it may not have is a lost one, and not a disk that fails. */
    @Test
    void aRecordThatIsGoneSinceIsAbsent() throws IOException {
        FileStore store = store();
        assertThat(store.compareAndSet(KEY, null, "one", TIMEOUT)).isInstanceOf(Write.Applied.class);
        Entry one = read(store);
        disk.fails = true;
        assertThat(store.compareAndSet(KEY, one, "two", TIMEOUT)).isInstanceOf(Write.Unknown.class);

        Path record = directory.resolve(KEY);
        for (Path version : FailingDisk.list(record)) {
            Files.delete(version);
        }
        Files.delete(record);

        assertThat(read(store)).isNull();
    }

    /** The machine has no clock of its own: when it starts again it is as early as when it started last. */
    @Test
    void noIdIsIssuedOfWhatACrashTakesBack() throws IOException {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        List<Long> ids = new ArrayList<>();
        ids.addAll(idsOfOneMinute(new ManualPlatform(start, 1)));
        disk.crash();
        disk.fails = false;

        ids.addAll(idsOfOneMinute(new ManualPlatform(start, 2)));

        assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(10_000);
    }

    /** From its second write on the disk fails. */
    private List<Long> idsOfOneMinute(ManualPlatform platform) {
        platform.callersMoveTime();
        List<Long> ids = new ArrayList<>();
        OfOneDisk provider = new OfOneDisk();
        LeasedSnowflake snowflake = LeasedSnowflake.open(
                SnowflakeSettings.of(Map.of(
                        "snowflake.worker-ids", "7",
                        "snowflake.sequence-bits", "1",
                        "snowflake.epoch", "2025-01-01T00:00:00Z")),
                provider,
                platform);
        disk.fails = true;
        try {
            while (ids.size() < 60_000) {
                ids.add(snowflake.nextId());
                platform.advance(Duration.ofMillis(1));
            }
        } catch (SnowflakeException nothingIsGranted) {
            assertThat(nothingIsGranted).hasMessageContaining("the disk fails");
        }
        provider.opened.forEach(WorkerCoordinator::close);
        snowflake.close();
        return ids;
    }

    private final class OfOneDisk implements WorkerCoordinatorProvider {
        private final List<WorkerCoordinator> opened = new ArrayList<>();

        @Override
        public String name() {
            return "file";
        }

        @Override
        public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
            WorkerCoordinator coordinator = new RecordCoordinator(
                    config, new FileStore(new NamespaceFolder("orders", directory, config.namespace()), disk));
            opened.add(coordinator);
            return coordinator;
        }
    }
}
