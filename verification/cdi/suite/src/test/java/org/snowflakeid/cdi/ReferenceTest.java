// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.spi.CDI;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponse.Status;
import org.eclipse.microprofile.health.Readiness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeUnavailableException;

/** What an application names without injecting it: annotations of entities, and its configuration. */
class ReferenceTest {

    private static final List<String> JOURNAL = RecordingCoordinatorProvider.JOURNAL;

    @BeforeEach
    void forgetEarlierTests() {
        JOURNAL.clear();
    }

    @GeneratorReference
    @Retention(RetentionPolicy.RUNTIME)
    @interface Numbered {
        String value() default "default";
    }

    /** No bean: it has no scope, and its constructor wants something. */
    static class Row {
        @Numbered
        long id;

        Row(String content) {}

        @Numbered("lines")
        long getLine() {
            return 0;
        }
    }

    static class Base {
        @Numbered("base")
        long id;
    }

    static class Extended extends Base {
        Extended(String content) {}
    }

    @Test
    void claimsWhatAnnotationsOfOtherClassesName() {
        try (Application application = Application.of(Row.class)) {
            assertThat(JOURNAL).containsExactlyInAnyOrder("claimed snowflake", "claimed snowflake/lines");

            long id = new ReferencedGenerator("lines", "a test").nextId();

            Snowflake lines = application
                    .container()
                    .select(Snowflake.class, SnowflakeName.Literal.of("lines"))
                    .get();
            assertThat(lines.nextId()).isGreaterThan(id);
            assertThat(JOURNAL).hasSize(2);
        }
    }

    // it kept the closed generator of the application before
    @Test
    void aReferenceThatOutlivesAnApplicationTakesTheGeneratorOfTheNext() {
        ReferencedGenerator ids = new ReferencedGenerator("lines", "a test");
        try (Application application = Application.of(Row.class)) {
            assertThat(application.container().isRunning()).isTrue();
            assertThat(ids.nextId()).isPositive();
        }
        assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);

        try (Application application = Application.of(Row.class)) {
            assertThat(application.container().isRunning()).isTrue();
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Test
    void knowsTheAnnotationsThatAClassInherits() {
        try (Application application = Application.of(Extended.class)) {
            assertThat(application.container().isRunning()).isTrue();
            assertThat(JOURNAL).containsExactly("claimed snowflake/base");
        }
    }

    @Test
    void refusesWrongSettingsOfWhatAnAnnotationNames() {
        assertThatThrownBy(() ->
                        Application.with("snowflake.generators.lines.window=60").of(Row.class))
                .hasStackTraceContaining("snowflake 'lines': snowflake.generators.lines.window=60 ");
        assertThat(JOURNAL).isEmpty();
    }

    static class Misnamed {
        @Numbered("My_Rows")
        long id;

        Misnamed(String content) {}
    }

    @Test
    void refusesAnAnnotationWhoseNameCannotBeConfigured() {
        assertThatThrownBy(() -> Application.of(Misnamed.class)).hasStackTraceContaining("snowflake 'My_Rows'");
    }

    @Dependent
    static class Unconcerned {}

    @Test
    void aReferenceThatTheContainerDidNotShowNamesTheRemedies() {
        try (Application application = Application.of(Unconcerned.class)) {
            assertThat(application.container().isRunning()).isTrue();

            assertThatThrownBy(() -> new ReferencedGenerator("lines", "field id of com.acme.Row").nextId())
                    .isInstanceOf(SnowflakeException.class)
                    .hasMessageContaining("snowflake 'lines': no id for field id of com.acme.Row")
                    .hasMessageContaining("snowflake.claim-at-start=lines");
        }
    }

    @Test
    void claimsAtTheStartWhatTheConfigurationNames() {
        try (Application application =
                Application.with("snowflake.claim-at-start=default, orders").of(Unconcerned.class)) {
            assertThat(JOURNAL).containsExactlyInAnyOrder("claimed snowflake", "claimed snowflake/orders");

            assertThat(CDI.current()
                            .select(Snowflake.class, SnowflakeName.Literal.of("orders"))
                            .get()
                            .nextId())
                    .isPositive();
            assertThat(readiness(application).getData().orElseThrow())
                    .containsEntry("default.state", "ACTIVE")
                    .containsEntry("orders.state", "ACTIVE");
            assertThat(JOURNAL).hasSize(2);
        }
        assertThat(JOURNAL).contains("released snowflake", "released snowflake/orders");
    }

    @Test
    void refusesWrongSettingsOfWhatTheConfigurationNames() {
        assertThatThrownBy(() -> Application.with(
                                "snowflake.claim-at-start=orders",
                                "snowflake.generators.orders.window=60",
                                "snowflake.windw=PT9S")
                        .of(Unconcerned.class))
                .hasStackTraceContaining("snowflake 'orders': snowflake.generators.orders.window=60 ")
                .hasStackTraceContaining("snowflake.windw is no key");
        assertThat(JOURNAL).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"default,My_Orders", "orders,", "orders default", "meta"})
    void refusesWhatIsNoListOfGenerators(String names) {
        assertThatThrownBy(() ->
                        Application.with("snowflake.claim-at-start=" + names).of(Unconcerned.class))
                .hasStackTraceContaining(
                        "snowflake 'default': snowflake.claim-at-start=" + names + " is no list of generators.");
        assertThat(JOURNAL).isEmpty();
    }

    @Test
    void readinessTellsOfAGeneratorThatIsNotClaimedYet() {
        try (Application application = Application.of(Unconcerned.class)) {
            HealthCheckResponse response = readiness(application);

            assertThat(response.getStatus()).isEqualTo(Status.UP);
            assertThat(response.getData().orElseThrow())
                    .containsEntry("default.state", "UNCLAIMED")
                    .doesNotContainKey("default.lastError");
            assertThat(JOURNAL).isEmpty();
        }
    }

    @Test
    void readinessTellsOfWrongSettingsBeforeTheFirstCallFails() {
        try (Application application = Application.with("snowflake.window=60").of(Unconcerned.class)) {
            HealthCheckResponse response = readiness(application);

            assertThat(response.getStatus()).isEqualTo(Status.UP);
            assertThat(String.valueOf(response.getData().orElseThrow().get("default.lastError")))
                    .contains("snowflake.window=60");
        }
    }

    private static HealthCheckResponse readiness(Application application) {
        HealthCheck check = application
                .container()
                .select(HealthCheck.class, Readiness.Literal.INSTANCE)
                .get();
        return check.call();
    }
}
