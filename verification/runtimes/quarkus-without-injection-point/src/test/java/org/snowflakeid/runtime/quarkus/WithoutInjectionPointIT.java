// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RunningApplication;
import org.snowflakeid.testservers.EtcdServer;

class WithoutInjectionPointIT {

    private static ProcessBuilder prepare(int port) {
        ProcessBuilder builder = new ProcessBuilder(Launcher.java("-jar", "target/quarkus-app/quarkus-run.jar"));
        builder.environment().put("QUARKUS_HTTP_PORT", Integer.toString(port));
        return builder;
    }

    /** Quarkus removes beans that are not injected, generators among them. */
    @Test
    void startsAnApplicationThatInjectsNoGeneratorAndClaimsNothing() throws Exception {
        try (EtcdServer etcd = EtcdServer.start();
                RunningApplication application = RunningApplication.start(
                        WithoutInjectionPointIT::prepare,
                        "without-injection-point",
                        Map.of("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint()))) {
            assertThat(application.get("/health/ready").body().replaceAll("\\s", ""))
                    .contains("{\"name\":\"snowflake\",\"status\":\"UP\",\"data\":{\"default.state\":\"UNCLAIMED\"}}");
            assertThat(etcd.etcdctl("get", "--prefix", "/")).isEmpty();
            assertThat(application.terminate()).isEqualTo(128 + 15);
        }
    }
}
