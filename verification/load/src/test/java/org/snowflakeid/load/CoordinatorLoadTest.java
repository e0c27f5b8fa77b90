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
        String start = " [1-9]\\d* \\| [1-9]\\d* \\|";
        String calls = "( \\d+\\.\\d\\d \\|){2}";
        String claims = " 8 \\| \\d+\\.\\d \\| – \\|";
        assertThat(Files.readAllLines(report))
                .anySatisfy(row -> assertThat(row).matches("\\| file \\|" + start + calls + "( – \\|){3}"))
                .anySatisfy(row -> assertThat(row).matches("\\| etcd \\|" + start + calls + claims))
                .anySatisfy(row -> assertThat(row).matches("\\| zookeeper \\|" + start + calls + claims));
        assertThat(Files.readAllLines(folder.resolve("report.csv")))
                .contains("claims at once,etcd,8,failed starts,0", "claims at once,zookeeper,8,failed starts,0")
                .anySatisfy(line -> assertThat(line).matches("start,etcd,,processor ms,[1-9]\\d*"))
                .anySatisfy(line -> assertThat(line).matches("start with an archive,etcd,,memory MiB,[1-9]\\d*"))
                .anySatisfy(line -> assertThat(line).matches("claims at once,etcd,8,transactions each,[2-9]\\.\\d\\d"));
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThat(CoordinatorLoad.run("--starts=0", "--coordinators=nothing")).isNotZero();
        assertThat(CoordinatorLoad.run("--holder=8")).isEqualTo(2);
    }
}
