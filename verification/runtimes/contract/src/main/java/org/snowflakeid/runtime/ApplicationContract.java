// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.snowflakeid.testservers.EtcdServer;

/** The application under test on a runtime, with etcd as its coordinator, from before its claim to its end. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ApplicationContract {

    final String runtime;
    private final Launcher launcher;

    @SuppressWarnings("NullAway.Init")
    private EtcdServer etcd;

    @SuppressWarnings("NullAway.Init")
    private RunningApplication application;

    protected ApplicationContract(String runtime, Launcher launcher) {
        this.runtime = runtime;
        this.launcher = launcher;
    }

    public final RunningApplication application() {
        return application;
    }

    protected final EtcdServer etcd() {
        return etcd;
    }

    /** What the application is told beside the address of etcd, as environment variables. */
    protected Map<String, String> settings() {
        return Map.of();
    }

    /** How the application is started once more, while it runs. */
    protected Launcher another() {
        return launcher;
    }

    /** Until it has claimed its worker ids. */
    protected void awaitReady() throws Exception {
        application.awaitReady();
    }

    @BeforeAll
    void answersNoRequestBeforeItHasClaimed() throws Exception {
        etcd = EtcdServer.start();
        etcd.pause();
        long start = System.nanoTime();
        application = RunningApplication.launch(launcher, runtime, environment());
        awaitLog(application, "still without a worker id");
        long waiting = System.nanoTime();
        assertThat(application.answers("/ids") || application.answers("/health/ready"))
                .isFalse();

        etcd.resume();
        awaitReady();
        System.out.printf(
                "%s: reached its claim after %.1f s, ready %.1f s after that was possible; %d MiB%n",
                runtime, (waiting - start) / 1e9, (System.nanoTime() - waiting) / 1e9, application.peakMemory());
        assertThat(owners()).containsExactlyInAnyOrder("/snowflake/workers", "/snowflake/orders/workers");
    }

    @AfterAll
    void freesItsWorkerIdsWhenTerminated() throws Exception {
        try {
            assertThat(application.terminate()).isEqualTo(128 + 15);
            assertThat(owners()).isEmpty();
        } finally {
            application.close();
            etcd.close();
        }
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(settings());
        environment.put("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint());
        return environment;
    }

    private static void awaitLog(RunningApplication application, String text) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!application.log().contains(text)) {
            assertThat(System.nanoTime())
                    .as(() -> "no \"" + text + "\" in the log")
                    .isLessThan(deadline);
            assertThat(application.isRunning()).as(application.log()).isTrue();
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Below which parents there are owners. */
    protected final List<String> owners() {
        return etcd.etcdctl("get", "--prefix", "/snowflake/", "--keys-only")
                .lines()
                .filter(key -> key.matches(".*/workers/\\d+"))
                .map(key -> key.substring(0, key.lastIndexOf('/')))
                .toList();
    }

    @Test
    void issuesIncreasingIdsThatCanBeExplained() throws Exception {
        long first = id(application.get("/ids"));
        HttpResponse<String> second = application.get("/ids");

        assertThat(id(second)).isGreaterThan(first);
        JsonObject parts = json(application.get("/ids/" + id(second)));
        assertThat(parts.getInt("workerId"))
                .isEqualTo(json(application.get("/worker")).getInt("workerId"));
    }

    @Test
    void hasASecondGeneratorByNameWithItsOwnNamespaceAndLayout() throws Exception {
        JsonObject order = json(application.get("/orders/ids"));

        assertThat(order.getString("namespace")).isEqualTo("snowflake/orders");
        assertThat(etcd.etcdctl("get", "/snowflake/orders/meta")).contains("worker-id-bits=2 sequence-bits=20");
    }

    @Test
    void injectsOneGeneratorAtEachKindOfInjectionPoint() throws Exception {
        JsonObject ids = json(application.get("/injection-points"));

        assertThat(ids.keySet()).containsExactly("field", "constructor", "method", "instance", "lookup");
        assertThat(ids.keySet().stream().map(point -> Long.valueOf(ids.getString(point))))
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void doesNotDeployWithAWrongSettingAndSaysHowToMendIt() throws Exception {
        Map<String, String> wrong = environment();
        wrong.put("SNOWFLAKE_WINDOW", "a minute");
        try (RunningApplication refused = RunningApplication.launch(another(), runtime + "-refused", wrong)) {
            // The whole of it, since a line may be written in parts.
            String refusal = "snowflake '(default|orders)': snowflake.window=a minute is not .*PT60S";
            refused.awaitEndOrLog(refusal);
            assertThat(refused.log()).containsPattern(refusal);
            // Servers go on without the application. An answer that must not come cannot be awaited.
            TimeUnit.SECONDS.sleep(1);
            assertThat(refused.answers("/ids")).isFalse();
        }
    }
}
