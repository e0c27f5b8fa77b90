// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Snowflake;
import org.snowflakeid.config.UnknownKeys;

/** A key that is set and never read: refused if it is misspelt, else left alone with a warning. */
class MisspeltKeyTest {

    private final Warnings warnings = new Warnings("snowflake");

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @AfterEach
    void listenNoMore() {
        warnings.close();
    }

    /** The warnings about keys, not those about the coordinator of this test. */
    private Stream<String> warnings() {
        return warnings.all().filter(warning -> !warning.contains("(first start)"));
    }

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    snowflake.namespace-creations=require    , snowflake.namespace-creation
                    SNOWFLAKE_WINDOWS=PT30S                  , SNOWFLAKE_WINDOW
                    snowflake.generators.orders.windw=PT30S  , snowflake.generators.orders.window
                    snowflake.generators.order.window=PT30S  , snowflake.generators.orders.window
                    snowflake.clock.skew=PT30S               , snowflake.clock.max-skew
                    snowflake.startup-timout=                , snowflake.startup-timeout
                    """)
    void aMisspeltKeyStopsTheDeploymentAndTheNearestIsNamed(String entry, String nearest) {
        assertThatThrownBy(() -> Application.with(entry).of(Shop.class))
                .hasStackTraceContaining(entry.substring(0, entry.indexOf('=')) + " is no key of Snowflake ID")
                .hasStackTraceContaining("The nearest is " + nearest + ".");
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"snowflake.generators.default.window=PT30S", "SNOWFLAKE_GENERATORS_DEFAULT_WINDOW=PT30S"})
    void keysOfAGeneratorNamedDefaultStopTheDeployment(String entry) {
        assertThatThrownBy(() -> Application.with(entry).of(Shop.class))
                .hasStackTraceContaining("'default' is the generator without a name");
    }

    @Test
    void keysOfOtherSoftwareAreOneWarning() {
        try (Application application = Application.with("snowflake.account=a", "SNOWFLAKE_USER=hunter2")
                .of(Shop.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("SNOWFLAKE_USER, snowflake.account", "snowflake.ignore=")
                .doesNotContain("hunter2");
    }

    @Test
    void keysOfGeneratorsThatNoBeanInjectsAreOneWarning() {
        try (Application application = Application.with(
                        "snowflake.generators.billing.window=PT30S", "snowflake.generators.billing.burst=PT1S")
                .of(Shop.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
        assertThat(warnings()).singleElement().asString().contains("no generator of this name is injected");
    }

    @Test
    void whatIsToBeIgnoredIsPassedOver() {
        try (Application application = Application.with(
                        "snowflake.ignore=snowflake.account, snowflake.windows",
                        "SNOWFLAKE_ACCOUNT=a",
                        "snowflake.windows=7")
                .of(Shop.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
        assertThat(warnings()).isEmpty();
    }

    @Test
    void anOrdinaryConfigurationIsNoWarning() {
        try (Application application = Application.with(
                        "snowflake.clock.max-skew=PT20S",
                        "snowflake.generators.orders.worker-ids=0-99",
                        "snowflake.generators.orders.window=PT30S")
                .of(Shop.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
        assertThat(warnings()).isEmpty();
    }

    @Test
    void whatIsWrittenAsAVariableAndIsNoneIsRefused() {
        assertThatThrownBy(() -> Application.with("SNOWFLAKE_GENERATORS_ORDERS_WORKER_IDS=0-99")
                        .of(Shop.class))
                .hasStackTraceContaining(
                        "SNOWFLAKE_GENERATORS_ORDERS_WORKER_IDS is the name of an environment variable")
                .hasStackTraceContaining("Write snowflake.generators.orders.worker-ids.");
    }

    /** As MicroProfile Config lists and reads them. No test can set them for this process. */
    @Test
    void environmentVariablesAreNoProblem() {
        Map<String, String> variables =
                Map.of("SNOWFLAKE_WORKER_IDS", "0-99", "SNOWFLAKE_GENERATORS_ORDER_LINES_CLOCK_MAX_SKEW", "PT20S");
        SmallRyeConfig config = new SmallRyeConfigBuilder()
                .withSources(
                        new EnvConfigSource(variables, 300),
                        new PropertiesConfigSource(Map.of("snowflake.window", ""), "properties", 400),
                        new EnvConfigSource(Map.of("SNOWFLAKE_WINDOW", "PT30S"), 200))
                .build();

        UnknownKeys unknown = UnknownKeys.among(
                config.getPropertyNames(), key -> config.getConfigValue(key).getValue(), List.of("order-lines"));

        assertThat(unknown.problems()).isEmpty();
        assertThat(unknown.warnings()).isEmpty();
    }

    @Dependent
    static class NoShop {}

    @Test
    void anApplicationWithoutGeneratorsStartsAndItsFirstLookUpIsRefused() {
        try (Application application =
                Application.with("snowflake.windows=PT30S").of(NoShop.class)) {
            assertThat(application.get(NoShop.class)).isNotNull();

            assertThatThrownBy(() -> CDI.current().select(Snowflake.class).get())
                    .hasStackTraceContaining("snowflake.windows is no key of Snowflake ID");
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    @Test
    void aBlankValueOfAGeneratorInheritsTheSharedOne() {
        try (Application application = Application.with(
                        "snowflake.epoch=2024-01-01T00:00:00Z", "snowflake.generators.orders.epoch=")
                .of(Shop.class)) {
            assertThat(application.get(Shop.class).orders.layout().epoch()).hasToString("2024-01-01T00:00:00Z");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"snowflake.generators.default.window=PT30S", "SNOWFLAKE_GENERATORS_DEFAULT_WINDOW=PT30S"})
    void keysOfAGeneratorNamedDefaultSayWhereTheyBelong(String entry) {
        String right = entry.startsWith("SNOWFLAKE") ? "Set SNOWFLAKE_WINDOW." : "Set snowflake.window.";

        assertThatThrownBy(() -> Application.with(entry).of(Shop.class))
                .hasStackTraceContaining(entry.substring(0, entry.indexOf('=')))
                .hasStackTraceContaining(right);
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    @Test
    void keysOfGeneratorsAreWarningsWhereNoBeanInjectsAny() {
        try (Application application = Application.with(
                        "snowflake.generators.default.window=PT30S",
                        "snowflake.generators.billing.window=PT30S",
                        "snowflake.account=a")
                .of(NoShop.class)) {
            assertThat(application.get(NoShop.class)).isNotNull();
            assertThat(warnings())
                    .anySatisfy(warning -> assertThat(warning)
                            .contains("snowflake.generators.billing.window", "no generator of this name is injected"))
                    .anySatisfy(warning -> assertThat(warning)
                            .contains("snowflake.generators.default.window", "Set snowflake.window."))
                    .hasSize(2);
        }
    }

    // the first call in production said so, or asked for the key that was there, misspelt
    @ParameterizedTest
    @CsvSource({
        "snowflake.claim-at-strat=default, snowflake.claim-at-start",
        "SNOWFLAKE_CLAIM_AT_STRAT=default, SNOWFLAKE_CLAIM_AT_START"
    })
    void aMisspeltListOfGeneratorsStopsADeploymentWhereNoBeanInjectsAny(String entry, String nearest) {
        assertThatThrownBy(() -> Application.with(entry).of(NoShop.class))
                .hasStackTraceContaining(entry.substring(0, entry.indexOf('=')) + " is no key of Snowflake ID")
                .hasStackTraceContaining("The nearest is " + nearest + ".");
    }

    @Test
    void otherMisspeltKeysStopNoneWhereNoBeanInjectsAny() {
        try (Application application = Application.with("snowflake.windw=PT30S").of(NoShop.class)) {
            assertThat(application.get(NoShop.class)).isNotNull();
        }
    }
}
