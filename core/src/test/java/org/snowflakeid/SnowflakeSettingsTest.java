// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.OnRollback;
import org.snowflakeid.config.SnowflakeKeys;

class SnowflakeSettingsTest {

    @Test
    void needsNoSetting() {
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of());

        assertThat(settings.layout()).isEqualTo(SnowflakeLayout.STANDARD);
        assertThat(settings.namespace()).isEqualTo("snowflake");
        assertThat(settings.window()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.coordinator()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    snowflake.namespace              | /snowflake           | no '/' at either end
                    snowflake.namespace              | a b                  | is not a namespace
                    snowflake.namespace              | app/workers          | no part being workers
                    snowflake.namespace              | a//b                 | is not a namespace
                    snowflake.namespace-creation     | always               | is none of create, create-fenced, require
                    snowflake.namespace-creation     | CREATE               | is none of create, create-fenced, require
                    snowflake.epoch                  | 2020-01-01           | Write it as 2020-01-01T00:00:00Z
                    snowflake.epoch                  | yesterday            | is not an instant in UTC
                    snowflake.epoch                  | 1577836800000        | is not an instant in UTC
                    snowflake.epoch                  | 2020-01-01T00:00:00.000001Z | finer than a millisecond
                    snowflake.epoch                  | 1960-01-01T00:00:00Z | not between 1970-01-01T00:00:00Z and 9999
                    snowflake.worker-id-bits         | 0                    | between 1 and 20
                    snowflake.worker-id-bits         | 21                   | between 1 and 20
                    snowflake.worker-id-bits         | ten                  | not a whole number
                    snowflake.sequence-bits          | -1                   | between 1 and 20
                    snowflake.sequence-bits          | 12.5                 | not a whole number
                    snowflake.id-bits                | 52                   | is not a whole number between 53 and 63
                    snowflake.id-bits                | 64                   | is not a whole number between 53 and 63
                    snowflake.id-bits                | 53 bits              | is not a whole number between 53 and 63. The default is 63.
                    snowflake.worker-ids             | 5-4                  | is not a range of worker ids between 0 and 1023
                    snowflake.worker-ids             | 0-1024               | as 10 bits allow
                    snowflake.worker-ids             | all                  | Write it as 0-1023
                    snowflake.worker-ids             | -3                   | is not a range
                    snowflake.window                 | 60                   | is not an ISO-8601 duration. Write it as PT60S
                    snowflake.window                 | 60s                  | is not an ISO-8601 duration
                    snowflake.window                 | PT1S                 | is not between PT3S and PT1H
                    snowflake.window                 | PT2H                 | is not between PT3S and PT1H
                    snowflake.window                 | -PT60S               | is not between PT3S and PT1H
                    snowflake.window                 | PT60.0005S           | is finer than a millisecond. Drop the last digits.
                    snowflake.clock.max-wait         | PT0.0005S            | is finer than a millisecond. Drop the last digits.
                    snowflake.clock.max-lag          | PT0.0000001S         | is finer than a millisecond. Drop the last digits.
                    snowflake.startup-timeout        | PT60S                | one and a half windows (snowflake.window=PT60S)
                    snowflake.startup-timeout        | 90000                | is not an ISO-8601 duration
                    snowflake.startup-ahead          | PT2H                 | is not between PT0S and PT1H
                    snowflake.wait-timeout           | -PT1S                | is not between PT0S and PT1H
                    snowflake.workers                | 65                   | between 1 and 64
                    snowflake.health.enabled         | yes                  | is neither true nor false
                    snowflake.clock.on-rollback      | ignore               | is none of wait, fail, continue
                    snowflake.clock.max-wait         | 500ms                | is not an ISO-8601 duration
                    snowflake.clock.max-ahead        | P1D                  | is not between PT0S and PT1H
                    snowflake.clock.max-skew         | PT0S                 | is not between PT1S and PT1H
                    snowflake.burst                  | PT0.0005S            | is finer than a millisecond. Drop the last digits.
                    snowflake.burst                  | PT31S                | more than half the window (snowflake.window=PT60S)
                    """)
    void refusesWhatCanNotBeMeant(String key, String value, String remedy) {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of(key, value)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageStartingWith("snowflake 'default': ")
                .hasMessageContaining(key + "=" + value)
                .hasMessageContaining(remedy);
    }

    @Test
    void namesAllProblemsAtOnce() {
        Map<String, String> values = Map.of("snowflake.window", "1", "snowflake.burst", "2", "snowflake.epoch", "3");

        assertThatThrownBy(() -> SnowflakeSettings.of(values))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .hasSize(3));
    }

    // each value that depends on the wrong one was refused too, and the message quoted it
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    snowflake.window         | PT2X | snowflake.burst           | PT45S
                    snowflake.window         | PT2X | snowflake.startup-timeout | PT60S
                    snowflake.burst          | PT2X | snowflake.window          | PT90S
                    snowflake.worker-id-bits | ten  | snowflake.worker-ids      | 0-2000
                    """)
    void aWrongValueIsOneProblem(String key, String wrong, String other, String value) {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of(key, wrong, other, value)))
                .isInstanceOfSatisfying(
                        InvalidSettingsException.class,
                        e -> assertThat(e.problems()).singleElement().asString().contains(key + "=" + wrong));
    }

    // the message advised to widen worker-ids, though that covers all worker ids anyway
    @Test
    void moreWorkersThanWorkerIdsNeedMoreBits() {
        assertThatThrownBy(
                        () -> SnowflakeSettings.of(Map.of("snowflake.worker-id-bits", "2", "snowflake.workers", "8")))
                .hasMessageContaining("Lower it, or raise snowflake.worker-id-bits.");
    }

    @Test
    void namedGeneratorsInheritAndOverride() {
        Map<String, String> values = new HashMap<>();
        values.put("snowflake.window", "PT30S");
        values.put("snowflake.generators.orders.epoch", "2024-01-01T00:00:00Z");
        values.put("snowflake.generators.orders.clock.on-rollback", "fail");

        SnowflakeSettings settings = SnowflakeSettings.of("orders", values::get);

        assertThat(settings.window()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.layout().epoch()).isEqualTo(Instant.parse("2024-01-01T00:00:00Z"));
        assertThat(settings.values().onRollback()).isEqualTo(OnRollback.FAIL);
        assertThat(settings.namespace()).isEqualTo("snowflake/orders");
        values.put("snowflake.namespace", "shop");
        assertThat(SnowflakeSettings.of("orders", values::get).namespace()).isEqualTo("shop/orders");
        values.put("snowflake.generators.orders.namespace", "elsewhere");
        assertThat(SnowflakeSettings.of("orders", values::get).namespace()).isEqualTo("elsewhere");
    }

    @Test
    void namesTheGeneratorsOwnKeyWhereItIsSet() {
        Map<String, String> values = Map.of("snowflake.generators.orders.window", "5");

        assertThatThrownBy(() -> SnowflakeSettings.of("orders", values::get))
                .hasMessageStartingWith("snowflake 'orders': snowflake.generators.orders.window=5 ");
    }

    @Test
    void refusesForOneGeneratorWhatHoldsForAll() {
        Map<String, String> values = Map.of("snowflake.generators.orders.coordinator", "etcd");

        assertThatThrownBy(() -> SnowflakeSettings.of("orders", values::get))
                .hasMessageContaining("Set snowflake.coordinator for all of them.");
    }

    @ParameterizedTest
    @CsvSource({"Orders", "orders_eu", "-orders", "workers", "marks", "meta", "''"})
    void refusesNamesThatCanNotBeKeys(String name) {
        assertThatThrownBy(() -> SnowflakeSettings.of(name, key -> null))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Rename it");
    }

    @Test
    void staticNeedsItsWorkerId() {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of("snowflake.coordinator", "static")))
                .hasMessageContaining("snowflake.static.worker-id is not set");
        assertThatThrownBy(() -> SnowflakeSettings.of(
                        Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "1024")))
                .hasMessageContaining("snowflake.static.worker-id=1024 is not one worker id between 0 and 1023");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    snowflake.namespace-creation     | require              | keeps no namespace: no start could succeed. Remove it, or use a coordinator.
                    snowflake.namespace-creation     | create-fenced        | keeps no namespace: no start would wait. Remove it, or use a coordinator.
                    snowflake.workers                | 2                    | snowflake.static.worker-id names one. Remove it, or use a coordinator.
                    snowflake.resume.directory       | /resume              | is never down. Remove one of them.
                    """)
    void staticRefusesWhatItCanNotHonour(String key, String value, String remedy) {
        Map<String, String> values =
                Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "600", key, value);

        assertThatThrownBy(() -> SnowflakeSettings.of(values))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .singleElement()
                        .asString()
                        .startsWith("snowflake 'default': " + key + "=" + value)
                        .endsWith(remedy));
    }

    @ParameterizedTest
    @CsvSource({
        "snowflake.burst, PT10S",
        "snowflake.clock.on-rollback, continue",
        "snowflake.worker-ids, 0-511",
        "snowflake.namespace-creation, create",
        "snowflake.workers, 1"
    })
    void staticTakesWhatItCanHonour(String key, String value) {
        Map<String, String> values =
                Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "600", key, value);

        assertThat(SnowflakeSettings.of(values).values().minWorkerId()).isEqualTo(600);
    }

    @Test
    void noCoordinatorOnTheClassPathNamesTheArtifacts() {
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of());

        assertThatThrownBy(() -> LeasedSnowflake.open(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake-coordinator-etcd");
    }

    @Test
    void unknownCoordinatorIsNamed() {
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of("snowflake.coordinator", "etdc"));

        assertThatThrownBy(() -> LeasedSnowflake.open(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake.coordinator=etdc is not on the class path");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    postgresql | For PostgreSQL | jdbc
                    Postgres   | For PostgreSQL | jdbc
                    mysql      | For MySQL      | jdbc
                    mariadb    | For MariaDB    | jdbc
                    oracle     | For Oracle     | jdbc
                    SQL Server | For SQL Server | jdbc
                    mssql      | For SQL Server | jdbc
                    h2         | For H2         | jdbc
                    database   | For a database | jdbc
                    k8s        | For Kubernetes | kubernetes
                    zk         | For ZooKeeper  | zookeeper
                    curator    | For ZooKeeper  | zookeeper
                    etcd3      | For etcd       | etcd
                    valkey     | For Valkey     | redis
                    in-memory  | For memory     | memory
                    folder     | For a folder   | file
                    fixed      | For a fixed worker id | static
                    """)
    void aNameThatPeopleUseIsAnsweredWithOurs(String used, String product, String coordinator) {
        String add =
                switch (coordinator) {
                    case "static" -> "";
                    case "memory" -> "add the artifact snowflake-testing and ";
                    default -> "add the artifact snowflake-coordinator-" + coordinator + " and ";
                };

        assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(Map.of("snowflake.coordinator", used))))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("snowflake 'default': snowflake.coordinator=" + used + " is not on the class path. "
                        + product + " " + add + "set snowflake.coordinator=" + coordinator
                        + ".");
    }

    // the message advised to add snowflake-coordinator-etdc, which does not exist
    @Test
    void aMisspeltNameOfACoordinatorIsAnsweredWithTheRightOne() {
        assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(Map.of("snowflake.coordinator", "etdc"))))
                .hasMessageContaining("The nearest is etcd: add the artifact snowflake-coordinator-etcd and set"
                        + " snowflake.coordinator=etcd.")
                .hasMessageNotContaining("snowflake-coordinator-etdc");
    }

    @Test
    void theTestsCoordinatorIsInAnArtifactOfAnotherName() {
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of("snowflake.coordinator", "memory"));

        assertThatThrownBy(() -> LeasedSnowflake.open(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("add the artifact snowflake-testing.");
    }

    @Test
    void aNameInCapitalsIsAnsweredWithTheRightOne() {
        assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(Map.of("snowflake.coordinator", "STATIC"))))
                .hasMessageContaining("snowflake.coordinator=STATIC is not on the class path")
                .hasMessageContaining("set snowflake.coordinator=static.")
                .hasMessageNotContaining("artifact");
        assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(Map.of("snowflake.coordinator", "ETCD"))))
                .hasMessageContaining("add the artifact snowflake-coordinator-etcd and set snowflake.coordinator=etcd.")
                .hasMessageNotContaining("snowflake-coordinator-ETCD");
    }

    @ParameterizedTest
    @CsvSource({"PT60S,PT90S", "PT2M,PT3M", "PT10M,PT15M", "PT1H,PT90M", "PT3S,PT90S"})
    void aStartKeepsTryingForOneAndAHalfWindowsAndNinetySecondsUnlessItIsSet(Duration window, Duration timeout) {
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of("snowflake.window", window.toString()));

        assertThat(settings.values().startupTimeout()).isEqualTo(timeout);
    }

    @Test
    void keepsWhatItWasMadeFromWhenTheMapChanges() {
        Map<String, String> values = new HashMap<>(Map.of("snowflake.etcd.endpoints", "http://a:2379"));
        SnowflakeSettings settings = SnowflakeSettings.of(values);

        values.put("snowflake.etcd.endpoints", "http://b:2379");
        values.put("snowflake.etcd.user", "app");

        assertThat(settings.values().coordinatorConfig().settings().apply("snowflake.etcd.endpoints"))
                .isEqualTo("http://a:2379");
        assertThat(settings.values().coordinatorConfig().settings().apply("snowflake.etcd.user"))
                .isNull();
    }

    @Test
    void readsEachKeyOnce() {
        Map<String, String> values = new HashMap<>();
        SnowflakeSettings settings = SnowflakeSettings.of("default", values::get);
        assertThat(settings.values().coordinatorConfig().settings().apply("snowflake.etcd.endpoints"))
                .isNull();

        values.put("snowflake.etcd.endpoints", "http://b:2379");
        values.put("snowflake.window", "PT30S");

        assertThat(settings.values().coordinatorConfig().settings().apply("snowflake.etcd.endpoints"))
                .isNull();
        assertThat(settings.values().coordinatorConfig().settings().apply("snowflake.window"))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  "})
    void aBlankValueOfAGeneratorInheritsTheSharedOne(String blank) {
        Map<String, String> values = Map.of(
                "snowflake.epoch", "2024-01-01T00:00:00Z",
                "snowflake.worker-ids", "0-99",
                "snowflake.namespace", "shop",
                "snowflake.generators.orders.epoch", blank,
                "snowflake.generators.orders.worker-ids", blank,
                "snowflake.generators.orders.namespace", blank,
                "snowflake.generators.orders.coordinator", blank);

        SnowflakeSettings settings = SnowflakeSettings.of("orders", values::get);

        assertThat(settings.layout().epoch()).isEqualTo(Instant.parse("2024-01-01T00:00:00Z"));
        assertThat(settings.values().maxWorkerId()).isEqualTo(99);
        assertThat(settings.namespace()).isEqualTo("shop/orders");
    }

    @Test
    void refusesKeysOfAGeneratorNamedDefaultSinceThatOneHasNoName() {
        Map<String, String> values =
                Map.of("snowflake.generators.default.window", "PT30S", "snowflake.generators.default.workers", "2");

        assertThatThrownBy(() -> SnowflakeSettings.of("default", values::get))
                .hasMessageContaining("snowflake.generators.default.window=PT30S has no effect")
                .hasMessageContaining("Set snowflake.window.")
                .hasMessageContaining("Set snowflake.workers.");
        assertThatThrownBy(() -> SnowflakeSettings.of(values))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .hasSize(2));
    }

    @Test
    void refusesMisspeltKeysBesideWrongValues() {
        Map<String, String> values = Map.of("snowflake.namespace-creations", "require", "snowflake.window", "1");

        assertThatThrownBy(() -> SnowflakeSettings.of(values))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake.namespace-creations is no key")
                .hasMessageContaining("The nearest is snowflake.namespace-creation.")
                .hasMessageContaining("snowflake.window=1 is not an ISO-8601 duration");
    }

    @Test
    void refusesKeysOfGeneratorsWithoutTheirLastLetter() {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of("snowflake.generator.orders.window", "PT30S")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("snowflake: snowflake.generator.orders.window is no key of Snowflake ID and would have no"
                        + " effect. Misspelt? The nearest is snowflake.generators.orders.window. Correct it, or name it"
                        + " in snowflake.ignore if other software reads it.");
    }

    @Test
    void refusesEnvironmentVariablesInAMapSinceNothingReadsThemThere() {
        Map<String, String> values = Map.of("SNOWFLAKE_NAMESPACE_CREATION", "require", "PATH", "/bin");

        assertThatThrownBy(() -> SnowflakeSettings.of(values))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage(
                        "snowflake: SNOWFLAKE_NAMESPACE_CREATION is the name of an environment variable, which nothing"
                                + " reads here. Write snowflake.namespace-creation.");
    }

    @Test
    void reportsAValueThatCanNotBeReadBesideTheOthers() {
        assertThatThrownBy(() -> SnowflakeSettings.of("default", key -> {
                    if (key.equals("snowflake.epoch")) {
                        throw new InvalidSettingsException(List.of("the epoch can't be read"));
                    }
                    return key.equals("snowflake.window") ? "1" : null;
                }))
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .hasSize(2));
    }

    @Test
    void showsWhatIsWrongOnOneLineOfBoundedLength() {
        Map<String, String> values = Map.of("snowflake.window", "1\u001b[31m\n2".repeat(1000));

        assertThatThrownBy(() -> SnowflakeSettings.of(values))
                .hasMessageNotContaining("\n")
                .hasMessageContaining("1\\u001b[31m\\u000a2")
                .message()
                .hasSizeLessThan(4000);
    }

    @Test
    void eachDefaultIsAValueThatCanBeSet() {
        Map<String, String> defaults = SnowflakeKeys.core().stream()
                .filter(key -> key.standard().isPresent())
                .collect(Collectors.toMap(Key::name, key -> key.standard().orElseThrow()));

        assertThat(defaults).hasSizeGreaterThan(10);
        assertThat(SnowflakeSettings.of(defaults))
                .usingRecursiveComparison()
                .ignoringFields("values.lookup")
                .isEqualTo(SnowflakeSettings.of(Map.of()));
    }
}
