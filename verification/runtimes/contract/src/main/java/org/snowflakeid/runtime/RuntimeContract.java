// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Instant;
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
public abstract class RuntimeContract {

    private final String runtime;
    private final Launcher launcher;

    @SuppressWarnings("NullAway.Init")
    private EtcdServer etcd;

    @SuppressWarnings("NullAway.Init")
    private RunningApplication application;

    protected RuntimeContract(String runtime, Launcher launcher) {
        this.runtime = runtime;
        this.launcher = launcher;
    }

    protected final RunningApplication application() {
        return application;
    }

    protected final EtcdServer etcd() {
        return etcd;
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
        application.awaitReady();
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
        return Map.of("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint());
    }

    private static void awaitLog(RunningApplication application, String text) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!application.log().contains(text)) {
            assertThat(System.nanoTime())
                    .as(() -> "no \"" + text + "\" in the log")
                    .isLessThan(deadline);
            assertThat(application.isRunning()).isTrue();
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
    void tellsObserversOfItsClaims() throws Exception {
        HttpResponse<String> ignored = application.await(
                "/events",
                heard ->
                        heard.body().contains("default Claimed") && heard.body().contains("orders Claimed"));
    }

    @Test
    void reportsBothGeneratorsToMicroProfileHealth() throws Exception {
        HttpResponse<String> answer = application.get("/health/ready");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(check(answer))
                .containsKeys("default.workerId", "default.reservedUntil", "orders.workerId", "orders.reservedUntil");
    }

    /** What the check says of the generators. */
    private static JsonObject check(HttpResponse<String> health) {
        return json(health).getJsonArray("checks").getValuesAs(JsonObject.class).stream()
                .filter(each -> each.getString("name").equals("snowflake"))
                .findFirst()
                .orElseThrow()
                .getJsonObject("data");
    }

    @Test
    void doesNotNoticeThatEtcdIsAwayForTwentySeconds() throws Exception {
        boolean heldUp = isHeldUpWhileEtcdIsAwayForTwentySeconds();
        for (int again = 0; heldUp && again < 4; again++) {
            heldUp = isHeldUpWhileEtcdIsAwayForTwentySeconds();
        }
        assertThat(heldUp).isFalse();
    }

    /** Fails if the outage is noticed, unless it is since a machine that was held up made it last until a third of a window was left. */
    private boolean isHeldUpWhileEtcdIsAwayForTwentySeconds() throws Exception {
        awaitFullWindows();
        etcd.pause();
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            long last = 0;
            while (System.nanoTime() < end) {
                long id = id(application.get("/ids"));
                assertThat(id).isGreaterThan(last);
                last = id;
                TimeUnit.MILLISECONDS.sleep(10);
            }
            HttpResponse<String> health = application.get("/health/ready");
            if (health.statusCode() == 200) {
                return false;
            }
            assertThat(isAhead(health, 20)).as(health.body()).isFalse();
            return true;
        } finally {
            etcd.resume();
            awaitFullWindows();
        }
    }

    /** The first half minute has less in reserve; and readiness turns down when a third of the window is left. */
    private void awaitFullWindows() throws Exception {
        HttpResponse<String> ignored = application.await("/health/ready", answer -> isAhead(answer, 50));
    }

    private static boolean isAhead(HttpResponse<String> health, int seconds) {
        Instant until = Instant.now().plusSeconds(seconds);
        JsonObject check = check(health);
        return Instant.parse(check.getString("default.reservedUntil")).isAfter(until)
                && Instant.parse(check.getString("orders.reservedUntil")).isAfter(until);
    }

    /** For the record: what is measured on a shared machine can't be a condition. */
    @Test
    void tellsWhatAnInjectedCallCosts() throws Exception {
        JsonObject nanos = json(application.get("/orders/cost"));

        System.out.printf(
                "%s: %.1f ns for an injected call, %.1f ns for a direct one%n",
                runtime,
                nanos.getJsonNumber("injected").doubleValue(),
                nanos.getJsonNumber("direct").doubleValue());
        assertThat(nanos.getJsonNumber("injected").doubleValue()).isPositive();
    }

    @Test
    void doesNotDeployWithAWrongSettingAndSaysHowToMendIt() throws Exception {
        Map<String, String> wrong = Map.of("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint(), "SNOWFLAKE_WINDOW", "a minute");
        try (RunningApplication refused = RunningApplication.launch(launcher, runtime + "-refused", wrong)) {
            // The whole of it, since a line may be written in parts.
            String refusal = "snowflake '(default|orders)': snowflake.window=a minute is not .*PT60S";
            refused.awaitEndOrLog(refusal);
            assertThat(refused.log()).containsPattern(refusal);
            // Servers go on without the application.
            TimeUnit.SECONDS.sleep(1);
            assertThat(refused.answers("/ids")).isFalse();
        }
    }
}
