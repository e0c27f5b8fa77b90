// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The short form of {@code bin/chaos}. Its files stay in target/chaos, with a report. */
@Tag("nightly")
class ChaosIT {

    @Test
    void eightWorkersOnFiveWorkerIdsIssueNothingTwiceUnderFaultsAndRecover() throws Exception {
        Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("target", "chaos")), "run-");
        ChaosRun.Options options = new ChaosRun.Options(
                236,
                Duration.ofSeconds(100),
                Duration.ofMillis(1_050),
                8,
                5,
                Duration.ofSeconds(8),
                40_000,
                directory,
                false,
                3);
        Schedule schedule = options.schedule();

        ChaosRun.Outcome outcome = new ChaosRun(options, schedule, System.out).run(ChaosOnEtcd::new);

        Report report = new Report(outcome);
        report.write(directory.resolve("report.md"));
        assertThat(directory.resolve("report.csv")).content().contains("faults,", "counts,", "gaps,worker 7,", "log,");
        System.out.println(report.summary());
        assertThat(report.problems()).as("see %s", directory).isEmpty();
        assertThat(outcome.executed()).hasSizeGreaterThanOrEqualTo(80);
        assertThat(outcome.findings().duplicates()).isZero();
        assertThat(outcome.findings().idsOfWorkers()).hasSize(8);
    }
}
