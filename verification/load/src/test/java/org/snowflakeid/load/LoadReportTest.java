// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.load.LoadReport.Figure;

class LoadReportTest {

    private final LoadReport report = new LoadReport();

    private static Figure figure(String name, double value) {
        return Figure.of(name, "%.1f", value);
    }

    @Test
    void aRowHasTheFiguresOfItsCoordinator() {
        report.add(LoadReport.START, "static", 0, List.of(figure(Starts.MEDIAN, 1), figure("most ms", 2)));
        report.add(LoadReport.START, "etcd", 0, List.of(figure(Starts.MEDIAN, 3)));
        report.add(LoadReport.ARCHIVE, "etcd", 0, List.of(figure(Starts.MEDIAN, 4)));
        report.add(LoadReport.CALL, "etcd", 0, List.of(figure(Calls.CLAIM, 5), figure(Calls.EXTENSION, 6)));
        report.add(LoadReport.CLAIM, "etcd", 256, List.of(figure(Holders.UNTIL_ALL, 7)));
        report.add(LoadReport.HOLD, "etcd", 256, List.of(figure(Holders.SERVER, 8)));

        assertThat(rows())
                .containsExactly(
                        "| static | 1.0 | – | – | – | – | – | – |",
                        "| etcd | 3.0 | 4.0 | 5.0 | 6.0 | 256 | 7.0 | 8.0 |");
    }

    @Test
    void whatDoesNotDependOnTheHoldersIsInTheFirstRowOnly() {
        report.add(LoadReport.CALL, "etcd", 0, List.of(figure(Calls.CLAIM, 5)));
        for (int holders : List.of(1024, 512)) {
            report.add(LoadReport.CLAIM, "etcd", holders, List.of(figure(Holders.UNTIL_ALL, 7)));
        }

        assertThat(rows())
                .containsExactly(
                        "| etcd | – | – | 5.0 | – | 1,024 | 7.0 | – |", "| etcd |  |  |  |  | 512 | 7.0 | – |");
    }

    private List<String> rows() {
        List<String> table = report.table();
        return table.subList(2, table.size());
    }

    @Test
    void eachValueIsALineOfCsv() {
        report.add(LoadReport.CLAIM, "etcd", 1024, List.of(figure(Holders.UNTIL_ALL, 12_345), figure("failed", 1)));

        assertThat(report.csv())
                .containsExactly(
                        "measurement,coordinator,holders,figure,value",
                        "claims at once,etcd,1024,s until all had one,12345.0",
                        "claims at once,etcd,1024,failed,1.0");
    }

    @Test
    void thePageNamesWhatIsBesideItAndWhatFailed(@TempDir Path folder) throws Exception {
        Path page = folder.resolve("load.md");
        report.failed("etcd", new IllegalStateException("no etcd"));

        report.write(page, List.of("Written by hand."));

        assertThat(Files.readAllLines(page))
                .startsWith("# Load of coordinators", "", "Written by hand.", "")
                .contains("All figures are in [load.csv](load.csv). A dash is what was not measured.")
                .endsWith("", "The rest of `etcd` was not measured: java.lang.IllegalStateException: no etcd");
        assertThat(folder.resolve("load.csv")).hasContent("measurement,coordinator,holders,figure,value");
        assertThat(report.isComplete()).isFalse();
    }

    /** None of its coordinators needs a server. */
    @Test
    void theCommandWritesAPageThatIsShort(@TempDir Path folder) throws Exception {
        Path page = folder.resolve("load.md");

        assertThat(CoordinatorLoad.run(
                        "--coordinators=static,file", "--starts=0", "--calls=2", "--report", page.toString()))
                .isZero();

        assertThat(page)
                .content()
                .startsWith("# Load of file\n")
                .doesNotContain("PostgreSQL", "kubernetes")
                .containsPattern("\\| file \\| – \\| – \\| \\d+\\.\\d\\d \\| \\d+\\.\\d\\d \\| – \\|");
        assertThat(Files.readAllLines(folder.resolve("load.csv"))).hasSize(6).contains("call,file,,calls,2");
        int nineMoreRows = 9 * 17;
        assertThat(Files.readString(page).split("\\s+").length).isLessThan(400 - nineMoreRows);
    }
}
