// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.EtcdServer;

class EtcdByConfigurationIT {

    private static Map<String, String> environment(EtcdServer etcd) {
        return Map.of(
                "SNOWFLAKE_COORDINATOR", "etcd",
                "SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint(),
                "SNOWFLAKE_WORKER_IDS", "7",
                "SNOWFLAKE_WINDOW", "PT4S",
                "SNOWFLAKE_WAIT_TIMEOUT", "PT0S");
    }

    @Test
    void survivesAnOutageAndFreesItsWorkerIdWhenTerminated() throws Exception {
        try (EtcdServer etcd = EtcdServer.start();
                RunningExample example = RunningExample.start("etcd", environment(etcd))) {
            assertThat(example.get("/worker").body())
                    .contains("\"coordinator\":\"etcd\"")
                    .contains("\"workerId\":7");
            long before = id(example.get("/ids"));

            etcd.pause();
            HttpResponse<String> refused = example.await("/ids", answer -> answer.statusCode() != 200);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(HttpInterfaceIT.json(refused)).containsOnlyKeys("error");
            assertThat(example.get("/health/ready").statusCode()).isEqualTo(503);
            assertThat(example.get("/worker").body()).contains("\"state\":\"SUSPENDED\"");

            etcd.resume();
            assertThat(id(example.await("/ids", answer -> answer.statusCode() == 200)))
                    .isGreaterThan(before);

            assertThat(owners(etcd)).contains("/snowflake/workers/7");
            assertThat(example.terminate()).isEqualTo(128 + 15);
            assertThat(owners(etcd)).isEmpty();
        }
    }

    private static String owners(EtcdServer etcd) {
        return etcd.etcdctl("get", "--prefix", "/snowflake/workers/", "--keys-only")
                .strip();
    }

    private static long id(HttpResponse<String> answer) {
        return Long.parseLong(HttpInterfaceIT.json(answer).getString("id"));
    }
}
