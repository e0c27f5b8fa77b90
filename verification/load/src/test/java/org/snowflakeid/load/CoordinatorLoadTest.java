// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("nightly")
class CoordinatorLoadTest {

    @Test
    void measuresStartsCallsAndClaimsOnRealServers(@TempDir Path folder) throws Exception {
        Path report = folder.resolve("report.md");

        int status = CoordinatorLoad.run(
                "--coordinators=file,etcd,zookeeper",
                "--starts=1",
                "--calls=5",
                "--warm-ups=0",
                "--holders=8",
                "--seconds=0",
                "--report",
                report.toString());

        assertThat(status).isZero();
        String start = " \\d+ \\(\\d+–\\d+\\) \\| [1-9]\\d* \\| [1-9]\\d* \\|";
        String calls = "( \\d+\\.\\d\\d \\|){4}";
        String claims = " 8 \\| \\d+\\.\\d \\| \\d+\\.\\d \\| 0 \\| [2-9]\\.\\d\\d \\| \\d+\\.\\d\\d \\|";
        assertThat(Files.readAllLines(report))
                .anySatisfy(row -> assertThat(row).matches("\\| file \\|" + start))
                .anySatisfy(row -> assertThat(row).matches("\\| etcd \\|" + start))
                .anySatisfy(row -> assertThat(row).matches("\\| etcd, with an archive of classes \\|" + start))
                .anySatisfy(row -> assertThat(row).matches("\\| zookeeper \\|" + start))
                .anySatisfy(row -> assertThat(row).matches("\\| file \\|" + calls))
                .anySatisfy(row -> assertThat(row).matches("\\| etcd \\|" + calls))
                .anySatisfy(row -> assertThat(row).matches("\\| zookeeper \\|" + calls))
                .anySatisfy(row -> assertThat(row).matches("\\| etcd \\|" + claims))
                .anySatisfy(row -> assertThat(row).matches("\\| zookeeper \\|" + claims));
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThat(CoordinatorLoad.run("--starts=0", "--coordinators=nothing")).isNotZero();
        assertThat(CoordinatorLoad.run("--holder=8")).isEqualTo(2);
    }
}
