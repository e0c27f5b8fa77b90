// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.ZooKeeperServer;

class ZooKeeperByConfigurationIT {

    private static Map<String, String> environment(ZooKeeperServer zookeeper) {
        return Map.of(
                "SNOWFLAKE_COORDINATOR", "zookeeper",
                "SNOWFLAKE_ZOOKEEPER_CONNECT_STRING", zookeeper.connectString() + "/ids",
                "SNOWFLAKE_WORKER_IDS", "7",
                "SNOWFLAKE_WINDOW", "PT4S",
                "SNOWFLAKE_WAIT_TIMEOUT", "PT0S");
    }

    @Test
    void survivesAnOutageAndFreesItsWorkerIdWhenTerminated() throws Exception {
        try (ZooKeeperServer zookeeper = ZooKeeperServer.start();
                RunningExample example = RunningExample.start("zookeeper", environment(zookeeper))) {
            assertThat(example.get("/worker").body())
                    .contains("\"coordinator\":\"zookeeper\"")
                    .contains("\"workerId\":7");
            long before = id(example.get("/ids"));
            assertThat(example.log().lines())
                    .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ (INFO|WARNING) .*"));

            zookeeper.pause();
            HttpResponse<String> refused = example.await("/ids", answer -> answer.statusCode() != 200);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(example.get("/health/ready").statusCode()).isEqualTo(503);

            zookeeper.resume();
            assertThat(id(example.await("/ids", answer -> answer.statusCode() == 200)))
                    .isGreaterThan(before);

            assertThat(owners(zookeeper)).isEqualTo(1);
            assertThat(example.terminate()).isEqualTo(128 + 15);
            assertThat(owners(zookeeper)).isZero();
        }
    }

    private static long owners(ZooKeeperServer zookeeper) {
        return Math.round(zookeeper.figure("zk_ephemerals_count"));
    }

    private static long id(HttpResponse<String> answer) {
        return Long.parseLong(HttpInterfaceIT.json(answer).getString("id"));
    }
}
