// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The application under test on a runtime with MicroProfile Health, also while etcd is away. */
public abstract class RuntimeContract extends ApplicationContract {

    protected RuntimeContract(String runtime, Launcher launcher) {
        super(runtime, launcher);
    }

    @Test
    void tellsObserversOfItsClaims() throws Exception {
        HttpResponse<String> ignored = application()
                .await(
                        "/events",
                        heard -> heard.body().contains("default Claimed")
                                && heard.body().contains("orders Claimed"));
    }

    @Test
    void reportsBothGeneratorsToMicroProfileHealth() throws Exception {
        HttpResponse<String> answer = application().get("/health/ready");

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
        etcd().pause();
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            long last = 0;
            while (System.nanoTime() < end) {
                long id = id(application().get("/ids"));
                assertThat(id).isGreaterThan(last);
                last = id;
                TimeUnit.MILLISECONDS.sleep(10);
            }
            HttpResponse<String> health = application().get("/health/ready");
            if (health.statusCode() == 200) {
                return false;
            }
            assertThat(isAhead(health, 20)).as(health.body()).isFalse();
            return true;
        } finally {
            etcd().resume();
            awaitFullWindows();
        }
    }

    /** The first half minute has less in reserve; and readiness turns down when a third of the window is left. */
    private void awaitFullWindows() throws Exception {
        HttpResponse<String> ignored = application().await("/health/ready", answer -> isAhead(answer, 50));
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
        JsonObject nanos = json(application().get("/orders/cost"));

        System.out.printf(
                "%s: %.1f ns for an injected call, %.1f ns for a direct one%n",
                runtime,
                nanos.getJsonNumber("injected").doubleValue(),
                nanos.getJsonNumber("direct").doubleValue());
        assertThat(nanos.getJsonNumber("injected").doubleValue()).isPositive();
    }
}
