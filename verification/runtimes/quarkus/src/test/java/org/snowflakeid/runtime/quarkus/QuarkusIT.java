// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RunningApplication;
import org.snowflakeid.runtime.RuntimeContract;

class QuarkusIT extends RuntimeContract {

    QuarkusIT() {
        super("quarkus", QuarkusIT::prepare);
    }

    private static ProcessBuilder prepare(int port) {
        ProcessBuilder builder = new ProcessBuilder(Launcher.java("-jar", "target/quarkus-app/quarkus-run.jar"));
        builder.environment().put("QUARKUS_HTTP_PORT", Integer.toString(port));
        return builder;
    }

    /** Quarkus itself does so: a build compatible extension would not learn of it. */
    @Test
    void givesItsWorkerIdsBackIfAnotherPartOfTheStartFails() throws Exception {
        Map<String, String> environment = Map.of(
                "SNOWFLAKE_ETCD_ENDPOINTS",
                etcd().endpoint(),
                "SNOWFLAKE_NAMESPACE",
                "failed",
                "SNOWFLAKE_WINDOW",
                "PT1H",
                "FAIL_AT_START",
                "true");
        try (RunningApplication application =
                RunningApplication.launch(QuarkusIT::prepare, "failed-start", environment)) {
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
            while (application.isRunning() && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(100);
            }

            assertThat(application.isRunning()).isFalse();
            assertThat(application.log()).contains("fails as it is told to");
            assertThat(etcd().etcdctl("get", "--prefix", "/failed/marks/")).isNotEmpty();
            assertThat(etcd().etcdctl("get", "--prefix", "/failed/workers/")).isEmpty();
            assertThat(etcd().etcdctl("get", "--prefix", "/failed/orders/workers/"))
                    .isEmpty();
        }
    }
}
