// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkTest {

    @Test
    void measuresEachSubjectInItsOwnProcessAndWritesAReport(@TempDir Path folder) throws Exception {
        Path report = folder.resolve("report.md");

        int status = Benchmark.run(
                "--only",
                "ours,agrona",
                "--columns",
                "duplicates,allocation",
                "--report",
                report.toString(),
                "--date",
                "2026-03-01",
                "--arguments",
                "--only ours");

        assertThat(status).isZero();
        assertThat(Files.readString(report))
                .contains("`bin/benchmark --only ours`", "2026-03-01", "- JDK: ", "(report.csv)");
        List<String> figures = Files.readAllLines(folder.resolve("report.csv"));
        // A busy machine makes callers wait, and those who wait need a few bytes.
        assertThat(figure(figures, "ours,allocation,")).isBetween(0.0, 1.0);
        assertThat(figure(figures, "agrona,allocation,")).isBetween(0.0, 1.0);
        assertThat(figure(figures, "ours,duplicates,")).isZero();
        assertThat(figure(figures, "agrona,duplicates,")).isZero();
    }

    private static double figure(List<String> figures, String name) {
        List<String> found =
                figures.stream().filter(line -> line.startsWith(name)).toList();
        assertThat(found).hasSize(1);
        return Double.parseDouble(found.get(0).split(",", -1)[2]);
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThat(Benchmark.run("--only", "unknown")).isEqualTo(2);
        assertThat(Benchmark.run("--columns", "beauty")).isEqualTo(2);
        assertThat(Benchmark.run("--jdk", "nowhere")).isEqualTo(2);
        assertThat(Benchmark.run("--columns", "solo", "--svg", "picture.svg")).isEqualTo(2);
        assertThat(Benchmark.run("--mix", "virtual:1000:5:think")).isEqualTo(2);
        assertThat(Benchmark.run("--columns", "solo", "--mix", "platform:8:1:spin:12"))
                .isEqualTo(2);
    }
}
