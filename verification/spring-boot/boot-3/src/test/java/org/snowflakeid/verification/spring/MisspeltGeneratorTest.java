// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.spring.SnowflakeAutoConfiguration;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testing.TestSnowflake;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** Keys of a generator that only keys name: the application wants none of this name, or not yet. */
@ExtendWith(OutputCaptureExtension.class)
class MisspeltGeneratorTest {

    private final ApplicationContextRunner memory = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SnowflakeAutoConfiguration.class))
            .withPropertyValues("snowflake.coordinator=memory");

    private final MemoryStore store = MemoryStore.named(MemoryStore.DEFAULT_NAME);

    @AfterEach
    void forgetWorkerIds() {
        MemoryStore.discard(MemoryStore.DEFAULT_NAME);
    }

    @Configuration(proxyBeanMethods = false)
    static class TakesOrders {
        TakesOrders(@Qualifier("orders") Snowflake ids) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TakesOrder {
        TakesOrder(@Qualifier("order") Snowflake ids) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TakesOrderLater {
        final ObjectProvider<Snowflake> ids;

        TakesOrderLater(@Qualifier("order") ObjectProvider<Snowflake> ids) {
            this.ids = ids;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOrder {
        @Bean
        @Qualifier("order")
        static Snowflake ids() {
            return TestSnowflake.workerId(8);
        }
    }

    @Test
    void isReportedWithWrongValuesOfTheGeneratorsThatAreClaimed() {
        memory.withPropertyValues(
                        "snowflake.claim-at-start=default,orders",
                        "snowflake.generators.order.worker-id-bits=8",
                        "snowflake.generators.orders.window=60")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake.generators.order.worker-id-bits is no key")
                        .hasMessageContaining("snowflake.generators.orders.window=60"));
    }

    // orders got 10 bits, which are fixed once its namespace exists
    @Test
    void isRefusedBeforeTheGeneratorThatWasMeantIsClaimed() {
        memory.withPropertyValues(
                        "snowflake.claim-at-start=default,orders", "snowflake.generators.order.worker-id-bits=8")
                .run(context -> {
                    assertThat(context.getStartupFailure())
                            .isInstanceOf(InvalidSettingsException.class)
                            .hasMessageContaining("snowflake.generators.order.worker-id-bits is no key")
                            .hasMessageContaining("The nearest is snowflake.generators.orders.worker-id-bits")
                            .hasMessageContaining("snowflake.claim-at-start");
                    assertThat(store.meta("snowflake/orders")).isNull();
                });
    }

    @Test
    void isRefusedWhereABeanTakesTheGeneratorThatWasMeantAndItsWorkerIdIsGivenBack() {
        memory.withPropertyValues(
                        "snowflake.generators.orders.worker-ids=3", "snowflake.generators.order.worker-id-bits=8")
                .withUserConfiguration(TakesOrders.class)
                .run(context -> {
                    assertThat(context.getStartupFailure())
                            .isInstanceOf(InvalidSettingsException.class)
                            .hasMessageContaining("snowflake.generators.order.worker-id-bits is no key");
                    assertThat(store.mark("snowflake/orders", 3)).isNotNull();
                    assertThat(store.owner("snowflake/orders", 3)).isNull();
                });
    }

    @Test
    void isRefusedWhereItIsNoNameOfAGenerator() {
        memory.withPropertyValues("snowflake.generators.my_order.window=banana")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake 'my_order': ")
                        .hasMessageContaining("snowflake.generators.my_order.window")
                        .hasMessageContaining("a generator's name is lower-case letters and digits"));
    }

    // the start ended with "Illegal group reference"
    @ParameterizedTest
    @ValueSource(strings = {"$(NAME)", "or\\ders"})
    void isRefusedWhateverCharactersItHas(String name) {
        memory.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource(
                                "odd", Map.of("snowflake.generators." + name + ".window", "PT60S"))))
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake.generators." + name + ".window")
                        .hasMessageContaining("a generator's name is lower-case letters and digits"));
    }

    @Test
    void isLeftAloneWhereItIsToBeIgnored() {
        memory.withPropertyValues(
                        "snowflake.claim-at-start=default,orders",
                        "snowflake.ignore=snowflake.generators.order.*,snowflake.generators.my_order.*",
                        "snowflake.generators.order.worker-id-bits=8",
                        "snowflake.generators.my_order.window=banana")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void generatorsWithSimilarNamesThatAreBothUsedAreNotMisspelt() {
        memory.withPropertyValues(
                        "snowflake.generators.order.worker-id-bits=8", "snowflake.generators.orders.worker-id-bits=9")
                .withUserConfiguration(TakesOrders.class, TakesOrder.class)
                .run(context -> assertThat(context.getBeansOfType(LeasedSnowflake.class))
                        .hasSize(2));
    }

    @Test
    void aSimilarNameOfABeanOfTheApplicationIsNotMisspelt() {
        memory.withPropertyValues("snowflake.claim-at-start=orders", "snowflake.generators.order.worker-id-bits=8")
                .withUserConfiguration(OwnOrder.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aSimilarNameThatIsAskedForLaterIsNamedInClaimAtStart() {
        ApplicationContextRunner later = memory.withPropertyValues("snowflake.generators.order.worker-id-bits=8")
                .withUserConfiguration(TakesOrders.class, TakesOrderLater.class);

        later.withPropertyValues("snowflake.claim-at-start=orders")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake.claim-at-start"));
        later.withPropertyValues("snowflake.claim-at-start=orders,order")
                .run(context -> assertThat(context.getBean(TakesOrderLater.class)
                                .ids
                                .getObject()
                                .layout()
                                .workerIdBits())
                        .isEqualTo(8));
    }

    @Test
    void isAWarningWhereNothingIsNear(CapturedOutput output) {
        try (RunningApplication application = RunningApplication.start(
                "snowflake.generators.late.window=PT30S", "snowflake.warehouse-of-another=ANALYTICS")) {
            assertThat(application
                            .context()
                            .getBean("snowflake.late", Snowflake.class)
                            .nextId())
                    .isPositive();
        }

        assertThat(output)
                .containsOnlyOnce("snowflake.generators.late.window: no generator of this name is injected here.")
                .containsOnlyOnce("snowflake.warehouse-of-another: nothing here reads this");
    }
}
