// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.file.Versions.Version;
import org.snowflakeid.spi.RecordStore.Write;

/** Writers without any lock, in the order of steps in which they could harm each other. */
class VersionsTest {

    @TempDir
    Path folder;

    private Versions record;

    @BeforeEach
    void open() {
        record = new Versions(folder);
    }

    private Write write(long number, String text) throws IOException {
        return record.add(record.prepare(number, text), number);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void ofAllThatReadTheSameVersionOneWritesTheNext() throws IOException {
        Path mine = record.prepare(1, "mine");
        Path others = record.prepare(1, "other's");

        assertThat(record.latest()).isNull();
        assertThat(record.add(others, 1)).isInstanceOf(Write.Applied.class);
        assertThat(record.add(mine, 1)).isInstanceOf(Write.Rejected.class);

        assertThat(record.latest()).isEqualTo(new Version(1, "other's"));
        assertThat(names()).containsExactly("1");
    }

    @Test
    void aWriterWhoseNameIsTakenLeavesWhatIsThere() throws IOException {
        write(1, "one");
        Path late = Files.move(record.prepare(1, "late"), folder.resolve("late"));

        assertThat(record.add(late, 1)).isInstanceOf(Write.Rejected.class);

        assertThat(record.latest()).isEqualTo(new Version(1, "one"));
        assertThat(names()).containsExactly("1");
    }

    /** It read version 1, and version 2 was made, replaced and deleted since. */
    @Test
    void aSleeperThatMakesADeletedVersionAgainHasNotWritten() throws IOException {
        for (int number = 1; number <= 11; number++) {
            assertThat(write(number, "of " + number)).isInstanceOf(Write.Applied.class);
        }

        assertThat(write(2, "of a sleeper"))
                .isInstanceOfSatisfying(Write.Unknown.class, unknown -> assertThat(unknown.cause())
                        .hasMessageContaining("2 was replaced at once, or is not the latest"));

        assertThat(record.latest()).isEqualTo(new Version(11, "of 11"));
        assertThat(write(12, "of 12")).isInstanceOf(Write.Applied.class);
        assertThat(names()).containsExactly("12");
    }

    @Test
    void whatASleeperPreparedGoesWithTheLowerVersionsAndItHasNotWritten() throws IOException {
        write(1, "one");
        Path slept = record.prepare(2, "slept");
        write(2, "two");

        assertThat(slept).doesNotExist();
        assertThat(record.add(slept, 2)).isInstanceOf(Write.Rejected.class);
        assertThat(record.latest()).isEqualTo(new Version(2, "two"));
    }

    @Test
    void whatIsPreparedForALaterVersionStays() throws IOException {
        write(1, "one");
        Path next = record.prepare(3, "three");
        write(2, "two");

        assertThat(record.add(next, 3)).isInstanceOf(Write.Applied.class);
        assertThat(names()).containsExactly("3");
    }

    @Test
    void aFolderThatGoesAwayInTheMiddleOfAWriteIsNotMadeAgain() throws IOException {
        write(1, "one");
        Path prepared = record.prepare(2, "two");
        for (String name : names()) {
            Files.delete(folder.resolve(name));
        }
        Files.delete(folder);

        assertThat(record.add(prepared, 2)).isInstanceOf(Write.Rejected.class);
        assertThatThrownBy(() -> record.prepare(2, "two")).isInstanceOf(NoSuchFileException.class);
        assertThat(folder).doesNotExist();
    }

    @Test
    void whatOthersPutThereIsNeitherTakenForAVersionNorDeleted() throws IOException {
        List<String> foreign = List.of("-3", "007", "1~", "12.txt", "9999999999999999999", "README");
        for (String name : foreign) {
            Files.writeString(folder.resolve(name), "foreign\n");
        }

        assertThat(record.latest()).isNull();
        assertThat(write(1, "one")).isInstanceOf(Write.Applied.class);
        assertThat(write(2, "two")).isInstanceOf(Write.Applied.class);

        assertThat(record.latest()).isEqualTo(new Version(2, "two"));
        assertThat(names()).containsAll(foreign);
    }

    /** What was the highest when the folder was listed is replaced, deleted, and made again by a sleeper before it is read. */
    @Test
    void aReaderNeverTakesTheFileOfASleeperForTheVersionOfThatNumber() throws IOException {
        write(1, "one");
        write(2, "two");
        assertThat(write(1, "of a sleeper")).isInstanceOf(Write.Unknown.class);

        assertThatThrownBy(() -> record.listed(1)).isInstanceOf(NoSuchFileException.class);
        assertThat(record.latest()).isEqualTo(new Version(2, "two"));
    }
}
