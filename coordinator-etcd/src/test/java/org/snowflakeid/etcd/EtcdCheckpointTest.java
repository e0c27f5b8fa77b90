// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.IdParts;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;

/** What a checkpoint leaves on a real etcd, and in the process. */
@Isolated("it looks at all sockets of the JVM")
class EtcdCheckpointTest {

    private final String namespace = Node.freshNamespace();

    private LeasedSnowflake open(EtcdServer etcd) {
        return LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                "snowflake.etcd.endpoints",
                etcd.endpoint(),
                "snowflake.namespace",
                namespace,
                "snowflake.window",
                "PT12S")));
    }

    private String value(EtcdServer etcd, String kind, int workerId) {
        return etcd.etcdctl("get", "--print-value-only", "/" + namespace + "/" + kind + "/" + workerId);
    }

    /** Of this process to the server, by the kernel's table; both ends are on this machine, so those of this process are looked for. */
    private static long connectionsTo(EtcdServer etcd) throws IOException {
        List<String> own;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            own = descriptors
                    .map(EtcdCheckpointTest::target)
                    .filter(target -> target.startsWith("socket:["))
                    .map(target -> target.substring("socket:[".length(), target.length() - 1))
                    .toList();
        }
        String port = String.format(":%04X", etcd.clientPort());
        long found = 0;
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            found += Files.readAllLines(Path.of(table)).stream()
                    .map(line -> line.strip().split("\\s+"))
                    .filter(fields -> fields.length > 9 && fields[2].endsWith(port) && own.contains(fields[9]))
                    .count();
        }
        return found;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    @Test
    void theOwnerIsGoneTheMarkIsTrimmedAndAfterItIdsGoOn() throws IOException {
        try (EtcdServer etcd = EtcdServer.start();
                LeasedSnowflake ids = open(etcd)) {
            IdParts last = ids.layout().decode(ids.nextId());
            int workerId = last.workerId();
            assertThat(value(etcd, "workers", workerId)).contains("token=");
            assertThat(connectionsTo(etcd)).isPositive();

            ids.beforeCheckpoint();

            assertThat(value(etcd, "workers", workerId)).isBlank();
            assertThat(value(etcd, "marks", workerId))
                    .contains("limit=" + (ids.layout().tickOf(last.timestamp().toEpochMilli()) + 1) + " ")
                    .contains("token=free-");
            assertThat(ids.status().state()).isEqualTo(State.SUSPENDED);
            assertThat(connectionsTo(etcd)).isZero();

            ids.afterRestore();

            IdParts next = ids.layout().decode(ids.nextId());
            assertThat(next.timestamp()).isAfter(last.timestamp());
            assertThat(value(etcd, "workers", next.workerId())).contains("token=");
        }
    }

    @Test
    void withoutEtcdItIsRefusedAndIdsComeAgainWithIt() {
        try (EtcdServer etcd = EtcdServer.start();
                LeasedSnowflake ids = open(etcd)) {
            long last = ids.nextId();
            etcd.kill();

            assertThatThrownBy(ids::beforeCheckpoint)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining("no checkpoint: etcd did not confirm that the worker ids were given back");

            etcd.startAgain();
            await(Node.PATIENCE, () -> ids.status().state() == State.ACTIVE);
            assertThat(ids.nextId()).isGreaterThan(last);
        }
    }
}
