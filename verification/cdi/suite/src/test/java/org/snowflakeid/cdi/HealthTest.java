// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import java.net.URL;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponse.Status;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;

class HealthTest {

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    private static HealthCheckResponse readiness(Application application) {
        HealthCheck check = application
                .container()
                .select(HealthCheck.class, Readiness.Literal.INSTANCE)
                .get();
        return check.call();
    }

    @Test
    void tellsTheStateOfEachGenerator() {
        try (Application application = Application.of(Shop.class)) {
            HealthCheckResponse response = readiness(application);

            assertThat(response.getName()).isEqualTo("snowflake");
            assertThat(response.getStatus()).isEqualTo(Status.UP);
            Map<String, Object> data = response.getData().orElseThrow();
            assertThat(data)
                    .containsEntry("default.state", "ACTIVE")
                    .containsEntry("default.coordinator", "recording")
                    .containsEntry("default.namespace", "snowflake")
                    .containsEntry("default.driftMillis", 0L)
                    .containsEntry("orders.state", "ACTIVE")
                    .containsEntry("orders.namespace", "snowflake/orders")
                    .containsKeys("default.workerId", "default.reservedUntil")
                    .doesNotContainKey("default.lastError");
        }
    }

    // WildFly's MicroProfile Health did not show it
    @Test
    void isNoBeanOfThePortableExtensionsOwnArchive() {
        assertBelongsToAnotherArchive(Shop.class);
    }

    // nor there
    @Test
    void norWhereOnlyAnEntityNamesAGenerator() {
        assertBelongsToAnotherArchive(ReferenceTest.Row.class);
    }

    private static void assertBelongsToAnotherArchive(Class<?> application) {
        try (Application running = Application.of(application)) {
            BeanManager beans = running.container().getBeanManager();

            assertThat(beans.getBeans(HealthCheck.class, Readiness.Literal.INSTANCE))
                    .singleElement()
                    .satisfies(bean ->
                            assertThat(archive(bean.getBeanClass())).isNotEqualTo(archive(SnowflakeExtension.class)));
        }
    }

    private static URL archive(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @Test
    void isDownOnceAGeneratorIssuesNoMore() {
        try (Application application = Application.of(Shop.class)) {
            Generators.destroy(application.get(Shop.class).orders);

            HealthCheckResponse response = readiness(application);

            assertThat(response.getStatus()).isEqualTo(Status.DOWN);
            assertThat(response.getData().orElseThrow())
                    .containsEntry("orders.state", "CLOSED")
                    .containsEntry("default.state", "ACTIVE");
        }
    }

    @Dependent
    static class Unconcerned {}

    @Test
    void isUpAndClaimsNothingWithoutGenerators() {
        try (Application application = Application.of(Unconcerned.class)) {
            assertThat(readiness(application).getStatus()).isEqualTo(Status.UP);
            assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
        }
    }

    @Test
    void knowsAGeneratorThatIsOnlyLookedUp() {
        try (Application application = Application.of(Unconcerned.class)) {
            CDI.current().select(Snowflake.class).get();

            assertThat(readiness(application).getData().orElseThrow()).containsEntry("default.state", "ACTIVE");
        }
    }

    @Test
    void tellsNothingIfItIsSwitchedOff() {
        try (Application application =
                Application.with("snowflake.health.enabled=false").of(Shop.class)) {
            Generators.destroy(application.get(Shop.class).orders);
            var checks = application.container().select(HealthCheck.class, Readiness.Literal.INSTANCE);

            // Where beans are settled at build time, the check itself has to hold its peace.
            assertThat(checks.stream().map(HealthCheck::call))
                    .allSatisfy(response -> assertThat(response.getStatus()).isEqualTo(Status.UP));
        }
    }

    @Test
    void isNoMatterOfLiveness() {
        try (Application application = Application.of(Shop.class)) {
            assertThat(application.container().select(HealthCheck.class, Liveness.Literal.INSTANCE))
                    .isEmpty();
            assertThat(application.container().select(HealthCheck.class, Startup.Literal.INSTANCE))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"third-left, DOWN", "window-end, UP"})
    void endsWithTheLastThirdOfTheWindowOrWithTheWindow(String readyUntil, Status inTheLastThird) {
        RecordingCoordinatorProvider.down = false;
        try (Application application = Application.with(
                        "snowflake.window=PT9S", "snowflake.health.ready-until=" + readyUntil)
                .of(Shop.class)) {
            Snowflake ids = application.get(Shop.class).ids;
            Snowflake orders = application.get(Shop.class).orders;
            HealthCheck readiness = application
                    .container()
                    .select(HealthCheck.class, Readiness.Literal.INSTANCE)
                    .get();

            Status seenInTheLastThird = null;
            // A thread that is held up may miss the last third.
            for (int attempt = 0; seenInTheLastThird == null && attempt < 5; attempt++) {
                RecordingCoordinatorProvider.down = false;
                long start = System.nanoTime();
                while (readiness.call().getStatus() == Status.DOWN) {
                    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(90));
                    LockSupport.parkNanos(10_000_000);
                }
                RecordingCoordinatorProvider.down = true;
                while (ids.status().state() == State.ACTIVE || orders.status().state() == State.ACTIVE) {
                    // One is enough to be down, and their windows need not end together.
                    boolean before = isInTheLastThird(ids) || isInTheLastThird(orders);
                    Status seen = readiness.call().getStatus();
                    boolean after = ids.status().state() == State.ACTIVE
                            && orders.status().state() == State.ACTIVE;
                    if (before && after) {
                        seenInTheLastThird = seen;
                    }
                    LockSupport.parkNanos(10_000_000);
                }
            }

            assertThat(seenInTheLastThird).isEqualTo(inTheLastThird);
            assertThat(readiness.call().getStatus()).isEqualTo(Status.DOWN);
        } finally {
            RecordingCoordinatorProvider.down = false;
        }
    }

    /** Well in it: a third of the window is three seconds. */
    private static boolean isInTheLastThird(Snowflake ids) {
        Instant end = ids.status().reservedUntil().orElse(Instant.MAX);
        return Instant.now().plusSeconds(2).isAfter(end);
    }
}
