// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.config.UnknownKeys;

class UnknownKeysTest {

    private static final Set<String> GENERATORS = Set.of("default", "orders", "order-lines");

    private static UnknownKeys among(String... names) {
        return UnknownKeys.among(List.of(names), key -> null, GENERATORS);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    snowflake.namespace-creations           , snowflake.namespace-creation
                    snowflake.windows                       , snowflake.window
                    snowflake.widnow                        , snowflake.window
                    snowflake.Window                        , snowflake.window
                    snowflake.workerIds                     , snowflake.worker-ids
                    snowflake.worker_ids                    , snowflake.worker-ids
                    snowflake.worker.ids                    , snowflake.worker-ids
                    snowflake.worker                        , snowflake.workers
                    snowflake.startup.timeout               , snowflake.startup-timeout
                    snowflake.clock-max-skew                , snowflake.clock.max-skew
                    snowflake.clock.skew                    , snowflake.clock.max-skew
                    snowflake.clock                         , snowflake.clock.max-lag
                    snowflake.health.enable                 , snowflake.health.enabled
                    snowflake.static.id                     , snowflake.static.worker-id
                    snowflake.generators.orders.windw       , snowflake.generators.orders.window
                    snowflake.generators.orders.max-skew    , snowflake.generators.orders.clock.max-skew
                    snowflake.generators.odrers.window      , snowflake.generators.orders.window
                    snowflake.generators.order-line.window  , snowflake.generators.order-lines.window
                    SNOWFLAKE_WINDOWS                       , SNOWFLAKE_WINDOW
                    snowflake_windows                       , SNOWFLAKE_WINDOW
                    SNOWFLAKE_CLOCK_SKEW                    , SNOWFLAKE_CLOCK_MAX_SKEW
                    SNOWFLAKE_GENERATORS_ORDERS_WINDW       , SNOWFLAKE_GENERATORS_ORDERS_WINDOW
                    SNOWFLAKE_GENERATORS_ORDER_LINES_WINDW  , SNOWFLAKE_GENERATORS_ORDER_LINES_WINDOW
                    SNOWFLAKE_GENERATORS_ODRERS_WINDOW      , SNOWFLAKE_GENERATORS_ORDERS_WINDOW
                    snowflake.generators.odrers.windw       , snowflake.generators.orders.window
                    snowflake.generator.orders.window       , snowflake.generators.orders.window
                    snowflake.Generator.orders.window       , snowflake.generators.orders.window
                    snowflake.genrators.orders.clock.max-skew , snowflake.generators.orders.clock.max-skew
                    snowflake.generator.odrers.windw        , snowflake.generators.orders.window
                    snowflake.generator.billing.window      , snowflake.generators.billing.window
                    snowflake.generator.orders.coordinator  , snowflake.coordinator
                    snowflake.generator.default.window      , snowflake.window
                    snowflake.generator.window              , snowflake.window
                    snowflake.generators.window             , snowflake.window
                    snowflake.generators.clock.max-skew     , snowflake.clock.max-skew
                    SNOWFLAKE_GENERATOR_ORDERS_WINDOW       , SNOWFLAKE_GENERATORS_ORDERS_WINDOW
                    SNOWFLAKE_GENERATOR_ORDER_LINES_CLOCK_MAX_SKEW , SNOWFLAKE_GENERATORS_ORDER_LINES_CLOCK_MAX_SKEW
                    SNOWFLAKE_GENERATORS_CLOCK_MAX_SKEW     , SNOWFLAKE_CLOCK_MAX_SKEW
                    """)
    void aMisspeltKeyIsAProblemThatNamesTheNearest(String name, String nearest) {
        UnknownKeys unknown = among(name);

        assertThat(unknown.problems())
                .singleElement()
                .asString()
                .startsWith("snowflake: " + name + " is no key of Snowflake ID")
                .contains("The nearest is " + nearest + ".")
                .contains("snowflake.ignore");
        assertThat(unknown.warnings()).isEmpty();
    }

    /** Where other software had a generator of its own, before or beside this one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "snowflake.generator",
                "snowflake.generator.node-id",
                "SNOWFLAKE_GENERATOR_NODE_ID",
                "snowflake.generated.orders.window"
            })
    void aGeneratorOfOtherSoftwareIsLeftAlone(String name) {
        UnknownKeys unknown = among(name);

        assertThat(unknown.problems()).isEmpty();
        assertThat(unknown.warnings()).singleElement().asString().contains(name + ": nothing here reads this.");
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    snowflake.generators.orders.coordinator      , Set snowflake.coordinator for all of them.
                    snowflake.generators.orders.static.worker-id , Set snowflake.static.worker-id for all of them.
                    snowflake.generators.default.window          , Set snowflake.window.
                    snowflake.generators.default.windw           , Remove it.
                    SNOWFLAKE_GENERATORS_ORDERS_WAIT_TIMEOUT     , Set SNOWFLAKE_WAIT_TIMEOUT for all of them.
                    SNOWFLAKE_GENERATORS_DEFAULT_WORKER_IDS      , Set SNOWFLAKE_WORKER_IDS.
                    """)
    void aKeyAtTheWrongGeneratorIsAProblem(String name, String remedy) {
        assertThat(among(name).problems())
                .singleElement()
                .asString()
                .contains(name)
                .endsWith(remedy);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "snowflake.window",
                "snowflake.ignore",
                "snowflake.static.worker-id",
                "snowflake.generators.orders.clock.max-skew",
                "snowflake.generators.order-lines.worker-ids",
                "SNOWFLAKE_WINDOW",
                "snowflake_window",
                "SNOWFLAKE_CLOCK_ON_ROLLBACK",
                "SNOWFLAKE_GENERATORS_ORDERS_CLOCK_MAX_SKEW",
                "SNOWFLAKE_GENERATORS_ORDER_LINES_WORKER_IDS",
                "SNOWFLAKE_STATIC_WORKER_ID",
                "snowflakes.window",
                "snow.window",
                "window",
                "%dev.snowflake.windows",
                "SNOWFLAKES",
                "SNOWFLAKE_PORT",
                "SNOWFLAKE_SERVICE_HOST",
                "SNOWFLAKE_SERVICE_PORT_HTTP",
                "SNOWFLAKE_PORT_8080_TCP_ADDR",
                "SNOWFLAKE_STATIC_SERVICE_HOST",
                "SNOWFLAKE_STATIC_PORT_2379_TCP"
            })
    void whatIsKnownOrNotOursIsNoProblem(String name) {
        UnknownKeys unknown = among(name);

        assertThat(unknown.problems()).isEmpty();
        assertThat(unknown.warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ACCOUNT",
                "USER",
                "PASSWORD",
                "WAREHOUSE",
                "DATABASE",
                "SCHEMA",
                "ROLE",
                "HOST",
                "REGION",
                "URL",
                "TOKEN",
                "PRIVATE_KEY_PATH",
                "PRIVATE_KEY_PASSPHRASE",
                "AUTHENTICATOR",
                "HOME",
                "DEFAULT_CONNECTION_NAME",
                "CONNECTIONS_DEV_USER",
                "LOG_LEVEL",
                "PROTOCOL",
                "DB"
            })
    void whatTheDataWarehouseReadsIsLeftAlone(String name) {
        for (String written : List.of(
                "SNOWFLAKE_" + name,
                "snowflake." + name.toLowerCase(Locale.ROOT).replace('_', '-'))) {
            UnknownKeys unknown = among(written);

            assertThat(unknown.problems()).isEmpty();
            assertThat(unknown.warnings()).singleElement().asString().contains(written);
        }
    }

    @Test
    void foreignKeysAreOneWarningThatSaysHowToSilenceIt() {
        assertThat(among("SNOWFLAKE_ACCOUNT", "snowflake.user", "SNOWFLAKE_ROLE")
                        .warnings())
                .containsExactly(
                        "snowflake: SNOWFLAKE_ACCOUNT, SNOWFLAKE_ROLE, snowflake.user: nothing here reads this."
                                + " If other software does, name it in"
                                + " snowflake.ignore=SNOWFLAKE_ACCOUNT,SNOWFLAKE_ROLE,snowflake.user.");
    }

    @Test
    void whatIsToBeIgnoredIsNeitherAProblemNorAWarning() {
        List<String> names = List.of(
                "SNOWFLAKE_ACCOUNT",
                "snowflake.user",
                "snowflake.windows",
                "snowflake.jdbc.url",
                "SNOWFLAKE_JDBC_USER");
        Map<String, String> values =
                Map.of("snowflake.ignore", " snowflake.account, SNOWFLAKE_USER,snowflake.windows , snowflake.jdbc.*");

        UnknownKeys unknown = UnknownKeys.among(names, values::get, GENERATORS);

        assertThat(unknown.problems()).isEmpty();
        assertThat(unknown.warnings()).isEmpty();
        assertThat(UnknownKeys.among(List.of("snowflake.account", "snowflake.epochs"), values::get, GENERATORS)
                        .problems())
                .singleElement()
                .asString()
                .contains("snowflake.epochs");
    }

    /** A data warehouse has variables by the names of our keys, such as SNOWFLAKE_JDBC_URL. */
    @ParameterizedTest
    @ValueSource(strings = {"SNOWFLAKE_WINDOW", "snowflake.window", "SNOWFLAKE_WIN*", "snowflake.*"})
    void anIgnoredVariableIsNotReadAsOneOfOurKeys(String ignored) {
        Map<String, String> variable = Map.of("SNOWFLAKE_WINDOW", "sliding", "snowflake.burst", "PT1S");
        Function<String, String> lookup = key -> key.equals("snowflake.ignore")
                ? ignored
                : variable.getOrDefault(key, key.equals("snowflake.window") ? variable.get("SNOWFLAKE_WINDOW") : null);

        assertThat(SnowflakeSettings.of("default", lookup).window()).isEqualTo(Duration.ofSeconds(60));
        assertThat(SnowflakeSettings.of("default", lookup).values().burst()).isEqualTo(Duration.ofSeconds(1));
        assertThat(SnowflakeSettings.of("default", key -> key.equals("snowflake.window") ? "PT30S" : lookup.apply(key))
                        .window())
                .isEqualTo(Duration.ofSeconds(30));
        assertThatThrownBy(() -> SnowflakeSettings.of(
                        "default", key -> key.equals("snowflake.ignore") ? "snowflake.other" : lookup.apply(key)))
                .hasMessageContaining("snowflake.window=sliding");
    }

    /** SmallRye Config lists an environment variable under its own name, and roughly as a property would be written. */
    @Test
    void otherNamesOfAnEnvironmentVariableArePassedOver() {
        UnknownKeys right = among("SNOWFLAKE_WORKER_IDS", "snowflake.worker.ids", "snowflake.worker-ids");
        UnknownKeys wrong = among("SNOWFLAKE_WINDOWS", "snowflake.windows", "SNOWFLAKE_ACCOUNT", "snowflake.account");

        assertThat(right.problems()).isEmpty();
        assertThat(wrong.problems()).singleElement().asString().contains("SNOWFLAKE_WINDOWS is no key");
        assertThat(wrong.warnings()).singleElement().asString().doesNotContain("snowflake.account");
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    SNOWFLAKE_WINDOW                            , snowflake.window
                    snowflake_window                            , snowflake.window
                    SNOWFLAKE_IGNORE                            , snowflake.ignore
                    SNOWFLAKE_CLOCK_MAX_SKEW                    , snowflake.clock.max-skew
                    SNOWFLAKE_STATIC_WORKER_ID                  , snowflake.static.worker-id
                    SNOWFLAKE_GENERATORS_ORDERS_CLOCK_MAX_SKEW  , snowflake.generators.orders.clock.max-skew
                    SNOWFLAKE_GENERATORS_ORDER_LINES_WORKER_IDS , snowflake.generators.order-lines.worker-ids
                    SNOWFLAKE_GENERATORS_ORDERS_WORKER_ID_BITS  , snowflake.generators.orders.worker-id-bits or snowflake.generators.orders-worker.id-bits
                    """)
    void aVariableThatIsNeverReadIsAProblemThatNamesItsKey(String variable, String key) {
        Map<String, String> values = Map.of(variable, "1");

        for (UnknownKeys unknown : List.of(
                UnknownKeys.among(values.keySet(), values::get),
                UnknownKeys.among(values.keySet(), values::get, GENERATORS))) {
            assertThat(unknown.problems())
                    .containsExactly("snowflake: " + variable
                            + " is the name of an environment variable, which nothing reads here. Write " + key + ".");
            assertThat(unknown.warnings()).isEmpty();
        }
    }

    /** MicroProfile Config and Spring show the value of a variable under its key too. */
    @ParameterizedTest
    @CsvSource({
        "SNOWFLAKE_WINDOW, snowflake.window",
        "SNOWFLAKE_WORKER_IDS, snowflake.worker-ids",
        "SNOWFLAKE_GENERATORS_ORDER_LINES_WINDOW, snowflake.generators.order-lines.window"
    })
    void aVariableIsNoProblemWhereItsKeyIsReadFromIt(String variable, String key) {
        Map<String, String> values = Map.of(variable, "1", key, "1");

        assertThat(UnknownKeys.among(Set.of(variable), values::get, GENERATORS).problems())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT30S", "", " "})
    void aVariableIsNoProblemWhereAPropertyOfTheSameMeaningOverridesIt(String property) {
        Map<String, String> values = Map.of("SNOWFLAKE_WINDOW", "PT10S", "snowflake.window", property);

        assertThat(UnknownKeys.among(values.keySet(), values::get, GENERATORS).problems())
                .isEmpty();
    }

    @Test
    void aVariableIsNoProblemIfItIsBlankOrIgnoredOrItsKeyCanNotBeResolved() {
        Map<String, String> values =
                Map.of("SNOWFLAKE_WINDOW", " ", "SNOWFLAKE_BURST", "PT1S", "snowflake.ignore", "SNOWFLAKE_BURST");

        assertThat(UnknownKeys.among(values.keySet(), values::get, GENERATORS).problems())
                .isEmpty();
        assertThat(UnknownKeys.among(
                                Set.of("SNOWFLAKE_WINDOW"),
                                key -> {
                                    if (key.equals("snowflake.ignore")) {
                                        return null;
                                    }
                                    throw new InvalidSettingsException(List.of("can't be read"));
                                },
                                GENERATORS)
                        .problems())
                .isEmpty();
    }

    // they were a warning, though no application can have a generator of that name
    @ParameterizedTest
    @ValueSource(strings = {"my_billing", "Billing", "billing[0]", "meta"})
    void aNameThatNoGeneratorCanHaveIsAProblem(String generator) {
        String name = "snowflake.generators." + generator + ".window";

        assertThat(among(name).problems())
                .containsExactly("snowflake '" + generator + "': " + name + " has no effect: a generator's name is"
                        + " lower-case letters and digits in groups joined by '-', and none of workers, marks, meta."
                        + " Correct it, or remove it.");
        assertThat(among(name).warnings()).isEmpty();
    }

    @Test
    void keysOfGeneratorsThatAreNotInjectedAreAWarning() {
        UnknownKeys unknown =
                among("snowflake.generators.billing.window", "SNOWFLAKE_GENERATORS_BILLING_EPOCH", "snowflake.window");

        assertThat(unknown.problems()).isEmpty();
        assertThat(unknown.warnings())
                .containsExactly(
                        "snowflake: SNOWFLAKE_GENERATORS_BILLING_EPOCH, snowflake.generators.billing.window:"
                                + " no generator of this name is injected here. Unless one is asked for later, this has no effect.");
    }

    @Test
    void anyGeneratorIsPossibleWhereItIsNotKnownWhichThereAre() {
        List<String> names = List.of(
                "snowflake.generators.billing.window",
                "snowflake.generators.billing.windw",
                "SNOWFLAKE_GENERATORS_EU_BILLING_WORKER_IDS");

        UnknownKeys unknown = UnknownKeys.among(names, key -> null);

        assertThat(unknown.problems())
                .singleElement()
                .asString()
                .contains("The nearest is snowflake.generators.billing.window.");
        assertThat(unknown.warnings()).isEmpty();
    }

    // before its refusal, a WARNING said of the named coordinator's keys that nothing reads them
    @Test
    void keysOfTheNamedCoordinatorAreLeftAloneWhereItIsNotOnTheClassPath() {
        List<String> names = List.of("snowflake.etcd.endpoints", "SNOWFLAKE_ETCD_PASSWORD", "snowflake.user");

        UnknownKeys named =
                UnknownKeys.among(names, key -> key.equals("snowflake.coordinator") ? " etcd " : null, GENERATORS);
        UnknownKeys unnamed =
                UnknownKeys.among(names, key -> key.equals("snowflake.coordinator") ? "static" : null, GENERATORS);

        assertThat(named.problems()).isEmpty();
        assertThat(named.warnings())
                .singleElement()
                .asString()
                .startsWith("snowflake: snowflake.user: nothing here reads this.");
        assertThat(unnamed.warnings()).singleElement().asString().contains(names);
    }

    @Test
    void noValueOfAnUnknownKeyIsShown() {
        Map<String, String> values = Map.of("snowflake.static.pasword", "hunter2", "snowflake.pasword", "hunter2");

        UnknownKeys unknown = UnknownKeys.among(values.keySet(), values::get, GENERATORS);

        assertThat(unknown.problems().toString() + unknown.warnings()).doesNotContain("hunter2");
    }
}
