// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
        for (Kind kind : Kind.values()) {
            String title = "\\| \\Q" + kind.title() + "\\E \\|";
            String times = " [1-9]\\d* \\| \\d+–\\d+ \\| [\\d,]+ \\| \\d+\\.\\d\\d \\| \\d+\\.\\d\\d–\\d+\\.\\d\\d \\|";
            assertThat(lines)
                    .filteredOn(line -> line.matches(title + times + " " + statements(kind) + " \\|"))
                    .as("times with %s", kind)
                    .hasSize(1);
            assertThat(lines)
                    .filteredOn(line -> line.matches(
                            title + " [1-9]\\d* \\| \\d+\\.\\d \\| \\d\\.\\d\\d \\| [1-9]\\d* \\| \\d+\\.\\d \\|"))
                    .as("sizes with %s, of few rows and of many", kind)
                    .hasSize(2);
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

    @Test
    void aQuantileLiesBetweenItsNeighbours() {
        List<Double> sorted = List.of(1.0, 2.0, 4.0, 8.0);

        assertThat(CompareInserts.quantile(sorted, 0.5)).isCloseTo(3, within(1e-9));
        assertThat(CompareInserts.quantile(sorted, 0.25)).isCloseTo(1.75, within(1e-9));
        assertThat(CompareInserts.quantile(sorted, 1)).isCloseTo(8, within(1e-9));
    }
}
