// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Write;

/** What is compared where a folder was put back from a copy, which no list of versions shows. */
class FileStoreTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String KEY = "ns/marks/7";

    @TempDir
    Path directory;

    private FileStore store;
    private Path record;

    @BeforeEach
    void open() {
        store = new FileStore(new NamespaceFolder("orders", directory, "ns"));
        record = directory.resolve(KEY);
    }

    private Entry read() {
        return store.read(List.of(KEY), TIMEOUT).entries().get(KEY);
    }

    private Entry write(String value) {
        assertThat(store.compareAndSet(KEY, read(), value, TIMEOUT)).isInstanceOf(Write.Applied.class);
        return read();
    }

    private void assertNotReplaced(Entry expected, String present) throws IOException {
        assertThat(store.compareAndSet(KEY, expected, "next", TIMEOUT)).isInstanceOf(Write.Rejected.class);

        assertThat(read().value()).isEqualTo(present);
        try (var files = Files.list(record)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void anotherTextUnderTheSameNumberIsNotAsExpected() throws IOException {
        Entry seen = write("one");
        Files.writeString(record.resolve("1"), "put back\n");

        assertNotReplaced(seen, "put back");
    }

    @Test
    void aLowerVersionIsNotAsExpected() throws IOException {
        write("one");
        write("two");
        Entry seen = write("three");
        Files.move(record.resolve("3"), record.resolve("2"));
        Files.writeString(record.resolve("2"), "put back\n");

        assertNotReplaced(seen, "put back");
    }

    @Test
    void aRecordThatIsThereIsNotAbsent() throws IOException {
        write("one");
        write("two");

        assertNotReplaced(null, "two");
    }

    @Test
    void aRecordThatIsGoneIsNotMadeAgain() throws IOException {
        Entry seen = write("one");
        Files.delete(record.resolve("1"));

        assertThat(store.compareAndSet(KEY, seen, "next", TIMEOUT)).isInstanceOf(Write.Rejected.class);
        assertThat(read()).isNull();
    }

    // "interrupted" was all that was said
    @Test
    void saysWhichFolderWasNotReadAndWhy() {
        String folder = "snowflake.file.directory=" + directory;
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(this::read)
                    .hasMessage(folder + " was not read or written: the call was interrupted.")
                    .matches(e -> !((CoordinatorException) e).permanent());
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }

        store.close();

        assertThatThrownBy(this::read)
                .hasMessage(folder + " is not used any more: the coordinator was closed.")
                .matches(e -> ((CoordinatorException) e).permanent());
    }
}
