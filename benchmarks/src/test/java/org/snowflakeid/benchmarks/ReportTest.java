// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private static final List<Measured> ALL = List.of(
            measured(
                    "ours",
                    "figure saturated-8.ratio 1.001 0.99 1.01 0.02",
                    "figure saturated-8.cpu 0.0478 0.04 0.06 0.02",
                    "figure solo 34.61234567 33.0 37.0 0.1",
                    "figure between-platform:64:20:park:12.share 0.94 0.9 1.0 0.0",
                    "figure between-virtual:1000:5:park:12.share 1.0 0.9 1.0 0.0",
                    "figure busy-30-between-platform:64:20:park:12.share 0.5 0.5 0.5 0.0",
                    "figure batch 3.6 3.5 3.7 0.0"),
            measured(
                    "leaf",
                    "figure solo 29.0 29.0 30.0 0.0",
                    "figure saturated-8.ratio NaN NaN NaN 0.9",
                    "figure saturated-8.cpu NaN NaN NaN 0.9"),
            measured("unsynchronised", "figure duplicates 7.0 7.0 7.0 0.0"));

    @TempDir
    private Path folder;

    private static Measured measured(String name, String... figures) {
        return Measured.read(Subjects.named(name), List.of(figures));
    }

    private void write(String name) throws Exception {
        new Report(ALL, new ResultTable(ALL), "abc1234", "2026-03-01", "--seconds 1").write(folder.resolve(name));
    }

    @Test
    void thePageHasOneTableAndTheControls() throws Exception {
        write("page.md");

        String page = Files.readString(folder.resolve("page.md"));
        assertThat(page)
                .contains("`bin/benchmark --seconds 1`, commit abc1234, 2026-03-01.")
                .contains("""
                        |  | 8 threads | pausing threads | solo ns | how |
                        | --- | ---: | ---: | ---: | --- |
                        | ours | 1.00/.048 | 0.94–1.00 | 35 | CAS, waiters sleep |
                        | leaf | ? † | – | 29 | monitor, random start each ms |

                        `unsynchronised`, control: must issue duplicates: duplicates 7.

                        † Others took""")
                .contains("[page.csv](page.csv)");
        assertThat(page.lines().filter(line -> line.startsWith("| ---"))).hasSize(1);
    }

    @Test
    void theFileBesideItHasAllFigures() throws Exception {
        write("page.md");

        assertThat(Files.readAllLines(folder.resolve("page.csv")))
                .startsWith(
                        "generator,figure,median,least,greatest,taken by others",
                        "ours,saturated-8.ratio,1.001,0.99,1.01,0.02")
                .contains(
                        "ours,solo,34.6123,33.0,37.0,0.1",
                        "ours,busy-30-between-platform:64:20:park:12.share,0.5,0.5,0.5,0.0",
                        "ours,batch,3.6,3.5,3.7,0.0",
                        "leaf,saturated-8.cpu,NaN,NaN,NaN,0.9",
                        "unsynchronised,duplicates,7.0,7.0,7.0,0.0")
                .hasSize(12);
    }

    @Test
    void aPageOfAnotherKindOfNameHasItsFileBesideItToo() throws Exception {
        write("page.txt");

        assertThat(folder.resolve("page.txt")).exists();
        assertThat(folder.resolve("page.txt.csv")).exists();
    }
}
