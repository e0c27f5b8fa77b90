// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class ResultTableTest {

    private static final List<String> LOAD = List.of(
            "saturated-1.ratio 1.001 0.99 1.01 0.02",
            "saturated-1.cpu 0.2485 0.24 0.26 0.02",
            "saturated-1.max-ahead 3700.0 3700.0 3700.0 0.0",
            "saturated-1.end-ahead 3512.0 3512.0 3512.0 0.0",
            "saturated-8.ratio 5.02 5.0 5.1 0.21",
            "saturated-8.cpu 0.05 0.04 0.06 0.21",
            "saturated-8.max-ahead 12.0 12.0 12.0 0.0",
            "saturated-8.end-ahead 0.0 0.0 0.0 0.0");

    @Test
    void showsRatioAndCpuAndTheFurthestDepartureFromTheClock() {
        String table = new ResultTable(List.of(measured("agrona", LOAD))).markdown();

        assertThat(table).startsWith("""
                |  | 1 thread | 8 threads | drift ms | how |
                | --- | ---: | ---: | ---: | --- |
                | agrona | 1.00/.249 | 5.02/.050 † | +3,700/+3,512 | CAS, each waiter spins |
                """).contains("\n† Others took more than 20 %");
    }

    @Test
    void columnsWithoutFiguresAreLeftOut() {
        String table = new ResultTable(List.of(
                        measured("agrona", List.of("solo 35.4 34.2 36.6 0.0")),
                        measured(
                                "ours",
                                List.of("solo 34.6 33.0 37.0 0.1", "batch 1.13 1.1 1.2 0.0", "into 0.62 0.6 0.7 0.0"))))
                .markdown();

        assertThat(table)
                .contains("|  | solo ns | batch ns | into ns | how |")
                .contains("| agrona | 35 (34–37) | – | – |")
                .contains("| ours | 35 (33–37) | 1.1 | 0.6 |")
                .doesNotContain("†");
    }

    @Test
    void whatWasMeasuredOnABusyMachineHasATableOfItsOwn() {
        String table = new ResultTable(List.of(
                        measured("ours", List.of("solo 34.6 33.0 37.0 0.1", "busy-30-burst 24.4 24.0 25.0 0.0")),
                        measured(
                                "agrona",
                                List.of(
                                        "solo 35.4 34.2 36.6 0.0",
                                        "busy-50-virtual.ratio 0.9 0.9 0.9 0.0",
                                        "busy-50-virtual.cpu 0.4 0.4 0.4 0.0"))))
                .markdown();

        assertThat(table).startsWith("|  | solo ns | how |").endsWith("""
                        While 30 % of each processor are taken by another process:

                        |  | burst ms | how |
                        | --- | ---: | --- |
                        | ours | 24.4 | CAS, waiters sleep |

                        While 50 % of each processor are taken by another process:

                        |  | 1,000 virtual | how |
                        | --- | ---: | --- |
                        | agrona | 0.90/.400 | CAS, each waiter spins |
                        """);
    }

    private static final List<String> MIXES = List.of(
            "between-platform:64:20:park:12.wanted 1.31 1.31 1.31 0.0",
            "between-platform:64:20:park:12.share 0.118 0.1 0.2 0.0",
            "between-platform:64:20:park:12.cpu 3.1 3.0 3.2 0.0",
            "between-platform:64:20:park:12.p99.9 7.94 7.94 7.94 0.0",
            "between-platform:64:20:park:12.longest 1204.0 1204.0 1204.0 0.0",
            "between-platform:64:20:park:12.max-ahead 0.0 0.0 0.0 0.0",
            "between-platform:64:20:park:12.end-ahead -1.0 -1.0 -1.0 0.0");

    @Test
    void mixesHaveARowEachAndThoseAheadOfTheClockAreMarked() {
        List<String> ahead = List.of(
                "between-platform:64:20:park:12.wanted 1.27 1.27 1.27 0.0",
                "between-platform:64:20:park:12.share 1.5 1.5 1.5 0.3",
                "between-platform:64:20:park:12.cpu -0.04 0.0 0.0 0.3",
                "between-platform:64:20:park:12.p99.9 0.2 0.2 0.2 0.3",
                "between-platform:64:20:park:12.longest 3.0 3.0 3.0 0.3",
                "between-platform:64:20:park:12.max-ahead 3700.0 0.0 0.0 0.0",
                "between-platform:64:20:park:12.end-ahead 3512.0 0.0 0.0 0.0",
                "between-virtual:1000:1:spin:10.wanted 0.9 0.9 0.9 0.0",
                "between-virtual:1000:1:spin:10.share 0.0 0.0 0.0 0.0",
                "between-virtual:1000:1:spin:10.cpu Infinity 0.0 0.0 0.0",
                "between-virtual:1000:1:spin:10.p99.9 350.0 0.0 0.0 0.0",
                "between-virtual:1000:1:spin:10.longest 350.0 0.0 0.0 0.0");

        String table = new ResultTable(List.of(measured("ours", MIXES), measured("tsid-creator", ahead))).markdown();

        assertThat(table).contains("""
                |  | ours | tsid-creator | wanted |
                | --- | ---: | ---: | ---: |
                | 64 platform: 20 ids, park | 0.12/3.100, 7.9/1,204 ms | 1.50/-.040, 0.2/3.0 ms †, +3,700/+3,512 ms | 1.27–1.31 |
                | 1,000 virtual: 1 id, spin, 10 bits | – | 0.00/∞, 350/350 ms | 0.90–0.90 |
                """);
    }

    @Test
    void burstAndBackHasATableOfItsOwn() {
        List<String> back = List.of(
                "back.wanted 0.8 0.8 0.8 0.0",
                "back.wanted-in-burst 1.59 1.59 1.59 0.0",
                "back.before 0.801 0.8 0.8 0.0",
                "back.burst-1 0.1 0.1 0.1 0.0",
                "back.burst-2 0.04 0.0 0.0 0.0",
                "back.after-1 0.05 0.0 0.0 0.0",
                "back.after-2 0.78 0.8 0.8 0.0",
                "back.millis Infinity 650.0 Infinity 0.0");

        assertThat(new ResultTable(List.of(measured("ours", back))).markdown()).contains("""
                |  | wanted | before | in the burst | after it | back, ms | how |
                | --- | ---: | ---: | ---: | ---: | ---: | --- |
                | ours | 0.80/1.59 | 0.80 | 0.10/0.04 | 0.05/0.78 | ∞ | CAS, waiters sleep |
                """);
    }

    @Test
    void saysWhereNothingCouldBeMeasured() {
        String nothing = "NaN NaN NaN 0.9";
        String table = new ResultTable(List.of(measured("agrona", List.of("two.p50 " + nothing, "two.p90 " + nothing))))
                .markdown();

        assertThat(table).contains("| agrona | ? † |");
    }

    @Test
    void isSoundIfOnlyTheControlWasCaught() {
        Measured control = measured("unsynchronised", List.of("duplicates 7.0 7.0 7.0 0.0"));
        Measured unnoticed = measured("unsynchronised", List.of("duplicates 0.0 0.0 0.0 0.0"));
        Measured clean = measured("ours", List.of("duplicates 0.0 0.0 0.0 0.0"));
        Measured twice = measured("ours", List.of("duplicates 1.0 1.0 1.0 0.0"));

        assertThat(new ResultTable(List.of(clean, control)).isSound()).isTrue();
        assertThat(new ResultTable(List.of(clean, unnoticed)).isSound()).isFalse();
        assertThat(new ResultTable(List.of(twice, control)).isSound()).isFalse();
    }

    @Test
    void failuresAreNamed() {
        Measured failed = Measured.read(
                Subjects.named("leaf"), List.of("jdk OpenJDK 25", "failed solo: java.lang.NoClassDefFoundError: x/Y"));
        ResultTable table = new ResultTable(List.of(failed));

        assertThat(table.isSound()).isFalse();
        assertThat(table.markdown()).contains("Failed: leaf, solo: java.lang.NoClassDefFoundError: x/Y");
    }

    @Test
    void figuresAreReadAsTheyWereWritten() {
        Figures written = new Figures();
        written.put("solo", new Figure(35.25, 34, 36.5, 0.031));
        written.put("two.p50", new Figure(Double.NaN, Double.NaN, Double.NaN, 1));

        Figures read = Measured.read(
                        Subjects.named("ours"), written.lines().lines().toList())
                .figures();

        assertThat(read.get("solo")).contains(new Figure(35.25, 34, 36.5, 0.031));
        assertThat(read.get("two.p50")).contains(new Figure(Double.NaN, Double.NaN, Double.NaN, 1));
        assertThat(read.get("paced.p50")).isEmpty();
    }

    @Test
    void drawsEverySubjectThatWasMeasuredUnderLoad() throws Exception {
        String svg = new Picture(List.of(
                        measured("tsid-creator", LOAD),
                        measured("ours", LOAD),
                        measured("leaf", List.of("solo 50.0 50.0 50.0 0.0"))))
                .svg();

        assertThat(parsed(svg).getDocumentElement().getTextContent())
                .contains("tsid-creator †", "ours †", "3,700")
                .doesNotContain("leaf");
        assertThat(Arrays.asList(svg.split("\n", -1)))
                .filteredOn(line -> line.startsWith("<rect class='ahead'"))
                .hasSize(2);
    }

    @Test
    void drawsABarForEachMixIfAnyWasMeasured() throws Exception {
        String without = new Picture(List.of(measured("ours", LOAD))).svg();
        String with = new Picture(List.of(
                        measured(
                                "ours",
                                Stream.concat(LOAD.stream(), MIXES.stream()).toList()),
                        measured("leaf", LOAD)))
                .svg();

        assertThat(without).doesNotContain("class='share'").contains("viewBox='0 0 870 ");
        assertThat(parsed(with).getDocumentElement().getTextContent())
                .contains("share of what is wanted", "64 platform: 20 ids, park", "not measured");
        // One in the legend, and one of ours.
        assertThat(Arrays.asList(with.split("\n", -1)))
                .filteredOn(line -> line.startsWith("<rect class='share'"))
                .hasSize(2);
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void drawsNothingWhereNothingCouldBeMeasured() {
        String svg = new Picture(List.of(measured(
                        "ours",
                        List.of(
                                "saturated-1.cpu NaN NaN NaN 0.9",
                                "saturated-1.max-ahead 0.0 0.0 0.0 0.0",
                                "saturated-1.end-ahead 0.0 0.0 0.0 0.0"))))
                .svg();

        assertThat(svg).contains(">ours †<").doesNotContain("NaN");
    }

    private static Measured measured(String name, List<String> figures) {
        return Measured.read(
                Subjects.named(name),
                figures.stream().map(figure -> "figure " + figure).toList());
    }
}
