// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("nightly")
class CompareInsertsTest {

    @Test
    void measuresEachKindOnARealServer(@TempDir Path folder) throws Exception {
        Path report = folder.resolve("report.md");

        int status = CompareInserts.run(
                "--rows=500", "--rounds=2", "--warm-ups=1", "--many=2000", "--report", report.toString());

        assertThat(status).isZero();
        List<String> lines = Files.readAllLines(report);
        List<String> data = Files.readAllLines(folder.resolve("report.csv"));
        for (Kind kind : Kind.values()) {
            String row = "\\| \\Q" + kind.title()
                    + "\\E \\| [1-9]\\d* \\| \\d+\\.\\d\\d \\| \\d+\\.\\d\\d–\\d+\\.\\d\\d \\| " + statements(kind)
                    + " \\| [1-9]\\d* \\| \\d\\.\\d\\d \\|";
            assertThat(lines)
                    .filteredOn(line -> line.matches(row))
                    .as("row of %s", kind)
                    .hasSize(1);
            assertThat(data)
                    .filteredOn(line -> line.contains(kind.title().replace("`", ""))
                            && line.matches(".*,(ms of round [12]|s|table KiB),\\d+(\\.\\d)?"))
                    .as("rounds, one run of many rows, and sizes of few and of many with %s", kind)
                    .hasSize(5);
        }
    }

    /** Of 500 rows in batches of 50: an identity forbids batches, and a sequence is called besides. */
    private static String statements(Kind kind) {
        return switch (kind) {
            case SNOWFLAKE, SNOWFLAKE_UUID, UUID_7, TSID -> "10";
            case SEQUENCE -> "2[0-2]";
            case PLAIN_SEQUENCE -> "510";
            case IDENTITY, RANDOM_UUID -> "500";
        };
    }

    @Test
    void refusesWhatMeasuresNothing() {
        assertThat(CompareInserts.run("--rounds=0")).isEqualTo(2);
        assertThat(CompareInserts.run("--many=-1")).isEqualTo(2);
    }

    @Test
    void eachKindHasEachPlaceInTheOrder() {
        int kinds = Kind.values().length;

        for (Kind kind : Kind.values()) {
            assertThat(IntStream.range(0, 2 * kinds)
                            .mapToObj(round -> CompareInserts.order(round).indexOf(kind)))
                    .containsAll(IntStream.range(0, kinds).boxed().toList());
        }
    }
}
