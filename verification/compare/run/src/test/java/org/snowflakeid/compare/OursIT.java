// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.compare.instance.Instance;
import org.snowflakeid.compare.ours.Ours;

/** Three processes of ours on a real etcd, without faults. */
class OursIT {

    @TempDir
    private Path directory;

    @Test
    void issuesNothingTwiceAndNothingOutOfOrder() throws InterruptedException {
        List<String> java = List.of("-cp", System.getProperty("java.class.path"), Instance.class.getName());
        Trial.Outcome outcome = new Trial(Subjects.named("ours-etcd"), java, directory, System.out)
                .run(List.of(Chapter.CALM.plan(1, 0)));
        Findings.Figures figures = Report.Result.of(outcome).findings().of(Chapter.CALM);
        assertThat(outcome.subject().adapter()).isEqualTo(Ours.class.getName());
        assertThat(outcome.lives()).hasSize(3);
        assertThat(outcome.coordinator()).startsWith("etcd 3.");
        assertThat(figures.ids).isGreaterThan(1_000);
        assertThat(figures.duplicates).isZero();
        assertThat(figures.disorder).isZero();
        assertThat(figures.sharedNanos).isZero();
        assertThat(figures.startsWithoutIds).isZero();
        Report report = new Report("", List.of(Chapter.CALM.plan(1, 0)), List.of(Report.Result.of(outcome)));
        assertThat(report.tables()).contains("| ours on etcd | 0 | 0 |");
        assertThat(report.markdown("report.csv")).contains("| ours on etcd | 0 | 0 |", "](report.csv)");
        assertThat(new RawData(report).csv())
                .startsWith("what,generator,chapter,value,text")
                .contains("Ids issued twice,ours on etcd,calm,0,", "processes,ours on etcd,all,3,");
    }
}
