// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.testing.MemoryStore;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A whole application: web, actuator, Data JPA. */
@ExtendWith(OutputCaptureExtension.class)
class ApplicationTest {

    private static final String[] READINESS = {
        "management.endpoint.health.show-details=always",
        "management.endpoint.health.group.readiness.include=readinessState,snowflake",
        "management.endpoint.health.probes.enabled=true",
        "management.endpoints.web.exposure.include=health,metrics"
    };

    private static String[] readinessAnd(String... more) {
        String[] all = new String[READINESS.length + more.length];
        System.arraycopy(READINESS, 0, all, 0, READINESS.length);
        System.arraycopy(more, 0, all, READINESS.length, more.length);
        return all;
    }

    @Test
    void servesIdsAndEntities() throws Exception {
        try (RunningApplication application = RunningApplication.start()) {
            long first = Long.parseLong(application.post("/ids").body());
            long second = Long.parseLong(application.post("/ids").body());
            long purchase = Long.parseLong(application.post("/purchases").body());

            assertThat(List.of(first, second, purchase)).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void closingTheApplicationGivesItsWorkerIdsBack() {
        String store = "closed";
        MemoryStore servers = MemoryStore.named(store);
        RunningApplication application =
                RunningApplication.start("snowflake.memory.store=" + store, "snowflake.worker-ids=7");
        try (application) {
            assertThat(servers.owner("snowflake", 7)).isNotNull();
            assertThat(servers.owner("snowflake/orders", 7)).isNotNull();
        }

        assertThat(servers.owner("snowflake", 7)).isNull();
        assertThat(servers.owner("snowflake/orders", 7)).isNull();
    }

    @Test
    void inALazyApplicationClaimAtStartStillClaims() {
        String store = "lazy";
        try (RunningApplication application = RunningApplication.start(
                "spring.main.lazy-initialization=true",
                "snowflake.memory.store=" + store,
                "snowflake.claim-at-start=default,orders,idle")) {
            assertThat(MemoryStore.named(store).meta("snowflake/idle")).isNotNull();
            assertThat(application.context().getBean(Shop.class).ids().nextId()).isPositive();
        }
    }

    @Test
    void readinessShowsEachGenerator() throws Exception {
        try (RunningApplication application = RunningApplication.start(READINESS)) {
            HttpResponse<String> answer = application.get("/actuator/health/readiness");
            int workerId = application
                    .context()
                    .getBean(Snowflake.class)
                    .status()
                    .workerId()
                    .orElseThrow();

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body())
                    .contains("\"snowflake\":{")
                    .contains("\"default.state\":\"ACTIVE\"")
                    .contains("\"default.workerId\":" + workerId)
                    .contains("\"default.coordinator\":\"memory\"")
                    .contains("\"default.namespace\":\"snowflake\"")
                    .contains("\"default.reservedUntil\":\"20")
                    .contains("\"default.driftMillis\":0")
                    .contains("\"orders.namespace\":\"snowflake/orders\"");
            assertThat(application.get("/actuator/health/liveness").body()).doesNotContain("snowflake");
        }
    }

    @Test
    void readinessTurnsDownWhileTheCoordinatorIsAwayForTooLong() throws Exception {
        String store = "away";
        try (RunningApplication application =
                RunningApplication.start(readinessAnd("snowflake.window=PT3S", "snowflake.memory.store=" + store))) {
            MemoryStore.named(store).disconnect();
            // On a machine that is held up it is down before an extension has failed.
            awaitReadiness(
                    application,
                    answer -> answer.statusCode() == 503 && answer.body().contains("\"default.lastError\":\""));
            assertThat(application.get("/actuator/health/liveness").statusCode())
                    .isEqualTo(200);

            MemoryStore.named(store).reconnect();
            awaitReadiness(application, answer -> answer.statusCode() == 200);
        } finally {
            MemoryStore.discard(store);
        }
    }

    private static void awaitReadiness(RunningApplication application, Predicate<HttpResponse<String>> wanted)
            throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        HttpResponse<String> answer = application.get("/actuator/health/readiness");
        while (!wanted.test(answer)) {
            assertThat(System.nanoTime()).as(answer.body()).isLessThan(deadline);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            answer = application.get("/actuator/health/readiness");
        }
    }

    @Test
    void aGeneratorThatWasNeverAskedIsUnclaimed() throws Exception {
        try (RunningApplication application =
                RunningApplication.start(readinessAnd("snowflake.generators.idle.window=60"))) {
            HttpResponse<String> answer = application.get("/actuator/health/readiness");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body())
                    .contains("\"idle.state\":\"UNCLAIMED\"")
                    .contains("\"idle.lastError\":\"snowflake 'idle': snowflake.generators.idle.window=60");
        }
    }

    @Test
    void healthCanBeSwitchedOffByOurKeyAndByThatOfSpring() throws Exception {
        try (RunningApplication application =
                RunningApplication.start(readinessAnd("snowflake.health.enabled=false"))) {
            assertThat(application.get("/actuator/health/readiness").body())
                    .contains("\"details\":{\"enabled\":false}");
        }
        try (RunningApplication application =
                RunningApplication.start("management.health.snowflake.enabled=false", READINESS[0])) {
            assertThat(application.get("/actuator/health").body())
                    .contains("\"diskSpace\"")
                    .doesNotContain("snowflake");
        }
    }

    @Test
    void metricsHaveTheirNamesAndTags() throws Exception {
        try (RunningApplication application = RunningApplication.start(READINESS)) {
            application.post("/ids");
            MeterRegistry registry = application.context().getBean(MeterRegistry.class);

            assertThat(registry.get("snowflake.ids")
                            .tag("snowflake.generator", "default")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("snowflake.ready")
                            .tag("snowflake.generator", "orders")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(application.get("/actuator/metrics").body())
                    .contains(
                            "\"snowflake.drift\"",
                            "\"snowflake.extensions\"",
                            "\"snowflake.extensions.failed\"",
                            "\"snowflake.ids\"",
                            "\"snowflake.ready\"",
                            "\"snowflake.reserved\"",
                            "\"snowflake.swaps\"",
                            "\"snowflake.waits\"");
        }
    }

    @Test
    void aGeneratorThatIsClaimedLaterHasMetricsToo() {
        try (RunningApplication application = RunningApplication.start("snowflake.generators.late.window=PT30S")) {
            MeterRegistry registry = application.context().getBean(MeterRegistry.class);
            assertThat(registry.find("snowflake.ids")
                            .tag("snowflake.generator", "late")
                            .meter())
                    .isNull();

            application.context().getBean("snowflake.late", Snowflake.class).nextIds(5);

            assertThat(registry.get("snowflake.ids")
                            .tag("snowflake.generator", "late")
                            .functionCounter()
                            .count())
                    .isEqualTo(5);
        }
    }

    @Test
    void aBadSettingStopsTheStartWithAMessageAlone(CapturedOutput output) {
        assertThatThrownBy(() -> RunningApplication.start("snowflake.window=1 minute"))
                .hasRootCauseInstanceOf(SnowflakeException.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Description:\n\nsnowflake 'default': snowflake.window=1 minute")
                .doesNotContain("\tat ");
    }

    @Test
    void anEntityOfAGeneratorThatIsNotConfiguredStopsTheStart(CapturedOutput output) {
        assertThatThrownBy(() -> RunningApplication.start("snowflake.claim-at-start=default"))
                .hasRootCauseInstanceOf(Exception.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Description:\n\nsnowflake 'orders': an entity names this generator")
                .contains("Set snowflake.claim-at-start=default,orders");
    }

    @Test
    void aWrongSettingOfAGeneratorThatOnlyAnEntityNamesStopsTheStart(CapturedOutput output) {
        assertThatThrownBy(() -> RunningApplication.start(
                        "snowflake.claim-at-start=default", "snowflake.generators.orders.worker-ids=5-2"))
                .hasRootCauseInstanceOf(SnowflakeException.class);

        assertThat(output).contains("Description:\n\nsnowflake 'orders': snowflake.generators.orders.worker-ids=5-2");
    }

    @Test
    void keysOfOtherSoftwareAreLeftAlone(CapturedOutput output) {
        RunningApplication.start("snowflake.warehouse-of-another=ANALYTICS").close();

        assertThat(output).contains("snowflake.warehouse-of-another: nothing here reads this");
    }

    @Test
    void workerIdsComeFromTheDataSourceOfTheApplicationAndAreGivenBackBeforeItCloses() throws Exception {
        String url = "jdbc:h2:mem:shared";
        try (Connection database = DriverManager.getConnection(url, "sa", "")) {
            try (RunningApplication application = RunningApplication.start(
                    "spring.datasource.url=" + url,
                    "snowflake.coordinator=jdbc",
                    "snowflake.jdbc.in-memory=allow",
                    "snowflake.worker-ids=7",
                    "snowflake.ignore=snowflake.memory.*")) {
                assertThat(Long.parseLong(application.post("/purchases").body()))
                        .isPositive();
                assertThat(record(database)).contains("token=").contains("host=");
            }

            assertThat(record(database)).contains("token=").doesNotContain("host=");
        }
    }

    /** The mark in its first line, and the owner in the second. */
    private static String record(Connection database) throws SQLException {
        try (PreparedStatement query =
                database.prepareStatement("SELECT \"VALUE\" FROM snowflake_record WHERE name = ?")) {
            query.setBytes(1, "snowflake/marks/7".getBytes(UTF_8));
            try (ResultSet rows = query.executeQuery()) {
                assertThat(rows.next()).isTrue();
                return new String(rows.getBytes(1), UTF_8);
            }
        }
    }
}
