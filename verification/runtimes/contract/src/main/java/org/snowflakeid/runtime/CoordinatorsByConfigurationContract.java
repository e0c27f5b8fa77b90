// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;

import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.ZooKeeperServer;

/** An example on another coordinator than the folder it comes with, by configuration alone. */
public abstract class CoordinatorsByConfigurationContract {

    private final Launcher launcher;

    protected CoordinatorsByConfigurationContract(Launcher launcher) {
        this.launcher = launcher;
    }

    @Test
    void survivesAnOutageOfEtcdAndFreesItsWorkerIdWhenTerminated() throws Exception {
        try (EtcdServer etcd = EtcdServer.start()) {
            survivesAnOutageAndFreesItsWorkerIdWhenTerminated(
                    "etcd",
                    Map.of("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint()),
                    etcd::pause,
                    etcd::resume,
                    () -> !etcd.etcdctl("get", "/snowflake/workers/7").isBlank());
        }
    }

    @Test
    void survivesAnOutageOfZooKeeperAndFreesItsWorkerIdWhenTerminated() throws Exception {
        try (ZooKeeperServer zookeeper = ZooKeeperServer.start()) {
            survivesAnOutageAndFreesItsWorkerIdWhenTerminated(
                    "zookeeper",
                    Map.of("SNOWFLAKE_ZOOKEEPER_CONNECT_STRING", zookeeper.connectString() + "/ids"),
                    zookeeper::pause,
                    zookeeper::resume,
                    () -> Math.round(zookeeper.figure("zk_ephemerals_count")) == 1);
        }
    }

    @Test
    void survivesAnOutageOfPostgreSqlAndFreesItsWorkerIdWhenTerminated() throws Exception {
        try (PostgresServer postgres = PostgresServer.start()) {
            survivesAnOutageAndFreesItsWorkerIdWhenTerminated(
                    "jdbc", database(postgres), postgres::pause, postgres::resume, () -> postgres.sql(
                                    "SELECT value FROM snowflake_record WHERE name = 'snowflake/marks/7'")
                            .contains("expires="));
        }
    }

    /** How the application learns of its database: by its own means, if it has a data source. */
    protected Map<String, String> database(PostgresServer postgres) {
        return Map.of("SNOWFLAKE_JDBC_URL", postgres.url());
    }

    private void survivesAnOutageAndFreesItsWorkerIdWhenTerminated(
            String coordinator, Map<String, String> address, Runnable pause, Runnable resume, BooleanSupplier isOwned)
            throws Exception {
        Map<String, String> environment = new HashMap<>(address);
        environment.put("SNOWFLAKE_COORDINATOR", coordinator);
        environment.put("SNOWFLAKE_WORKER_IDS", "7");
        environment.put("SNOWFLAKE_WINDOW", "PT4S");
        environment.put("SNOWFLAKE_WAIT_TIMEOUT", "PT0S");
        try (RunningApplication example = RunningApplication.start(launcher, coordinator, environment)) {
            assertThat(json(example.get("/worker")).getString("coordinator")).isEqualTo(coordinator);
            assertThat(json(example.get("/worker")).getInt("workerId")).isEqualTo(7);
            long before = id(example.await("/ids", answer -> answer.statusCode() == 200));

            pause.run();
            HttpResponse<String> refused = example.await("/ids", answer -> answer.statusCode() != 200);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(json(refused)).containsOnlyKeys("error");
            HttpResponse<String> notTaken = example.send("POST", "/orders", "{\"item\":\"tea\"}");
            assertThat(notTaken.statusCode()).isEqualTo(503);
            assertThat(notTaken.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(json(notTaken)).containsOnlyKeys("error");
            assertThat(example.get("/orders").body()).isEqualTo("[]");
            HttpResponse<String> unready = example.await("/health/ready", answer -> answer.statusCode() != 200);
            assertThat(unready.statusCode()).isEqualTo(503);
            HttpResponse<String> ignored = example.await(
                    "/worker", answer -> json(answer).getString("state").equals("SUSPENDED"));

            resume.run();
            assertThat(id(example.await("/ids", answer -> answer.statusCode() == 200)))
                    .isGreaterThan(before);

            // Its window may outlast its owner entry, which the next extension finds gone and enters again.
            awaitOwner(isOwned);
            assertThat(example.terminate()).isEqualTo(128 + 15);
            assertThat(isOwned.getAsBoolean()).isFalse();
        }
    }

    private static void awaitOwner(BooleanSupplier isOwned) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!isOwned.getAsBoolean()) {
            assertThat(System.nanoTime()).as("no owner entry").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
