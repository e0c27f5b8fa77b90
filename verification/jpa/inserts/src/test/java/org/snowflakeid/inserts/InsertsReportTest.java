// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.inserts.Sales.Inserted;
import org.snowflakeid.inserts.Sales.Size;

class InsertsReportTest {

    private final InsertsReport report = new InsertsReport();

    /** The later a kind, the longer it takes, and the larger its index is. */
    private static long times(Kind kind) {
        return 1L + List.of(Kind.values()).indexOf(kind);
    }

    private void measure() {
        Map<Kind, List<Inserted>> rounds = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            rounds.put(kind, List.of(new Inserted(100.0 * times(kind), 1), new Inserted(200.0 * times(kind), 10_200)));
        }
        report.rounds(10_000, rounds);
        report.sizes(InsertsReport.ROUNDS, 10_000, kind -> new Size(1024 * times(kind), 2048));
    }

    private void measureMany() {
        for (Kind kind : Kind.values()) {
            report.many(1_000_000, kind, new Inserted(9_240, 0));
        }
        report.sizes(InsertsReport.MANY, 1_000_000, kind -> new Size(2_048_000 * times(kind), 4096));
    }

    @Test
    void aRowHasTheIndexOfManyRows() {
        measure();
        measureMany();

        assertThat(report.table())
                .hasSize(2 + Kind.values().length)
                .contains(
                        "| `@SnowflakeId Long` | 150 | 1.00 | 1.00–1.00 | 10,200 | 2,000 | 1.00 |",
                        "| `@GeneratedValue(SEQUENCE) Long`, 50 at a time | 450 | 3.00 | 3.00–3.00 | 10,200 | 6,000 | 3.00 |");
    }

    @Test
    void aRowHasTheIndexOfTheRoundsIfThereWereNotMany() {
        measure();

        assertThat(report.table()).contains("| `@SnowflakeId UUID` | 300 | 2.00 | 2.00–2.00 | 10,200 | 2 | 2.00 |");
    }

    @Test
    void eachValueIsALineOfCsv() {
        measure();
        measureMany();

        assertThat(report.csv())
                .startsWith(
                        "measurement,id,figure,value",
                        "rounds,@SnowflakeId Long,rows,10000",
                        "rounds,@SnowflakeId Long,median ms,150",
                        "rounds,@SnowflakeId Long,least ms,100",
                        "rounds,@SnowflakeId Long,most ms,200",
                        "rounds,@SnowflakeId Long,rows a second,66667",
                        "rounds,@SnowflakeId Long,of ours,1.00",
                        "rounds,@SnowflakeId Long,lower quartile of ours,1.00",
                        "rounds,@SnowflakeId Long,upper quartile of ours,1.00",
                        "rounds,@SnowflakeId Long,statements,10200",
                        "rounds,@SnowflakeId Long,ms of round 1,100.0",
                        "rounds,@SnowflakeId Long,ms of round 2,200.0")
                .contains(
                        "rounds,\"@GeneratedValue(SEQUENCE) Long, one at a time\",index KiB,4",
                        "many rows once,@SnowflakeId UUID,rows,1000000",
                        "many rows once,@SnowflakeId UUID,s,9.2",
                        "many rows once,@SnowflakeId UUID,index KiB,4000",
                        "many rows once,@SnowflakeId UUID,index bytes a row,4.1",
                        "many rows once,@SnowflakeId UUID,index of ours,2.00",
                        "many rows once,@SnowflakeId UUID,table KiB,4",
                        "many rows once,@SnowflakeId UUID,table bytes a row,0.0");
    }

    @Test
    void thePageIsShortAndNamesWhatIsBesideIt(@TempDir Path folder) throws Exception {
        Path page = folder.resolve("inserts.md");
        measure();

        report.write(page, new CompareInserts().preface("15.18 (Debian 15.18-0+deb12u1)"));

        String text = Files.readString(page);
        assertThat(text)
                .startsWith("# Inserts beside other kinds of ids\n\nWritten by `bin/compare-inserts`, commit ")
                .contains("PostgreSQL 15.18 (Debian ", "All figures are in [inserts.csv](inserts.csv).");
        assertThat(text.split("\\s+").length).isLessThanOrEqualTo(400);
        assertThat(Files.readAllLines(folder.resolve("inserts.csv"))).isEqualTo(report.csv());
    }

    @Test
    void aQuantileLiesBetweenItsNeighbours() {
        List<Double> sorted = List.of(1.0, 2.0, 4.0, 8.0);

        assertThat(InsertsReport.quantile(sorted, 0.5)).isCloseTo(3, within(1e-9));
        assertThat(InsertsReport.quantile(sorted, 0.25)).isCloseTo(1.75, within(1e-9));
        assertThat(InsertsReport.quantile(sorted, 1)).isCloseTo(8, within(1e-9));
    }
}
