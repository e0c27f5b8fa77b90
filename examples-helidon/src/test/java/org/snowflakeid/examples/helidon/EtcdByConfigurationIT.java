// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.EtcdServer;

class EtcdByConfigurationIT {

    /** One worker id for both processes: the second gets it at once, or not within the test. */
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
        try (EtcdServer etcd = EtcdServer.start()) {
            long last;
            try (RunningExample example = RunningExample.start("etcd-1", environment(etcd))) {
                assertThat(example.get("/worker").body())
                        .contains("\"coordinator\":\"etcd\"")
                        .contains("\"workerId\":7");

                etcd.pause();
                HttpResponse<String> refused = example.await("/ids", answer -> answer.statusCode() != 200);
                assertThat(refused.statusCode()).isEqualTo(503);
                assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
                assertThat(HttpInterfaceIT.json(refused)).containsOnlyKeys("error");
                assertThat(example.get("/health/ready").statusCode()).isEqualTo(503);
                assertThat(example.get("/worker").body()).contains("\"state\":\"SUSPENDED\"");

                etcd.resume();
                last = id(example.await("/ids", answer -> answer.statusCode() == 200));

                assertThat(example.terminate()).isEqualTo(143);
                assertThat(example.log()).contains("snowflake 'default': released worker id 7");
            }
            try (RunningExample example = RunningExample.start("etcd-2", environment(etcd))) {
                assertThat(id(example.get("/ids"))).isGreaterThan(last);
            }
        }
    }

    private static long id(HttpResponse<String> answer) {
        return Long.parseLong(HttpInterfaceIT.json(answer).getString("id"));
    }
}
