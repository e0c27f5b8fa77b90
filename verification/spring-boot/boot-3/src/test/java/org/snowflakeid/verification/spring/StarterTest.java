// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.inject.Named;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spring.SnowflakeAutoConfiguration;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testing.TestSnowflake;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The beans of the starter, without the rest of an application. */
class StarterTest {

    private final ApplicationContextRunner empty =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(SnowflakeAutoConfiguration.class));

    private final ApplicationContextRunner memory = empty.withPropertyValues("snowflake.coordinator=memory");

    @AfterEach
    void forgetWorkerIds() {
        MemoryStore.discard(MemoryStore.DEFAULT_NAME);
    }

    private static boolean isHeld(String namespace, int workerId) {
        return MemoryStore.named(MemoryStore.DEFAULT_NAME).owner(namespace, workerId) != null;
    }

    @Configuration(proxyBeanMethods = false)
    static class Orders {
        final Snowflake ids;

        Orders(Snowflake ids) {
            this.ids = ids;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoGenerators {
        final Snowflake ids;
        final Snowflake orders;

        TwoGenerators(Snowflake ids, @Qualifier("orders") Snowflake orders) {
            this.ids = ids;
            this.orders = orders;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Later {
        final ObjectProvider<Snowflake> ids;

        Later(ObjectProvider<Snowflake> ids) {
            this.ids = ids;
        }
    }

    @Test
    void aBeanThatTakesTheGeneratorHasItClaimedWhileTheContextStarts() {
        memory.withUserConfiguration(Orders.class).run(context -> {
            Snowflake ids = context.getBean(Orders.class).ids;

            assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
            assertThat(isHeld("snowflake", ids.status().workerId().orElseThrow()))
                    .isTrue();
            assertThat(ids.nextId()).isLessThan(ids.nextId());
        });
    }

    @Test
    void closingTheContextGivesTheWorkerIdBack() {
        AtomicReference<Snowflake> closed = new AtomicReference<>();
        AtomicReference<Integer> workerId = new AtomicReference<>();
        memory.withUserConfiguration(Orders.class).run(context -> {
            closed.set(context.getBean(Snowflake.class));
            workerId.set(closed.get().status().workerId().orElseThrow());
            assertThat(isHeld("snowflake", workerId.get())).isTrue();
        });

        assertThat(isHeld("snowflake", workerId.get())).isFalse();
        assertThat(closed.get().status().state()).isEqualTo(State.CLOSED);
    }

    @Test
    void twoContextsHaveDifferentWorkerIds() {
        memory.withUserConfiguration(Orders.class).run(one -> memory.withUserConfiguration(Orders.class)
                .run(other -> assertThat(one.getBean(Snowflake.class).status().workerId())
                        .isPresent()
                        .isNotEqualTo(other.getBean(Snowflake.class).status().workerId())));
    }

    @Test
    void aContextThatIsStartedAgainGetsTheWorkerIdOfTheOneBefore(@TempDir Path folder) {
        ApplicationContextRunner file = empty.withPropertyValues(
                        "snowflake.coordinator=file", "snowflake.file.directory=" + folder, "snowflake.worker-ids=7")
                .withUserConfiguration(Orders.class);
        Consumer<Snowflake> check = ids -> assertThat(ids.status().workerId()).hasValue(7);

        file.run(context -> check.accept(context.getBean(Snowflake.class)));
        file.run(context -> check.accept(context.getBean(Snowflake.class)));
    }

    @Test
    void aGeneratorThatIsNotUsedClaimsNothing() {
        empty.run(context -> assertThat(context).hasNotFailed());
        memory.withUserConfiguration(Later.class).run(context -> {
            assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).calls()).isZero();

            assertThat(context.getBean(Later.class).ids.getObject().nextId()).isPositive();
        });
    }

    @Test
    void generatorsNamedInClaimAtStartAreClaimedThoughNoBeanTakesThem() {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders").run(context -> {
            MemoryStore store = MemoryStore.named(MemoryStore.DEFAULT_NAME);

            assertThat(store.meta("snowflake")).isNotNull();
            assertThat(store.meta("snowflake/orders")).isNotNull();
        });
    }

    @Test
    void aGeneratorWithANameHasItsOwnNamespaceAndSettings() {
        memory.withPropertyValues("snowflake.generators.orders.worker-id-bits=4")
                .withUserConfiguration(TwoGenerators.class)
                .run(context -> {
                    TwoGenerators two = context.getBean(TwoGenerators.class);

                    assertThat(two.ids.status().generator()).isEqualTo("default");
                    assertThat(two.orders.status().generator()).isEqualTo("orders");
                    assertThat(two.orders.status().namespace()).isEqualTo("snowflake/orders");
                    assertThat(two.orders.layout().workerIdBits()).isEqualTo(4);
                    assertThat(two.ids.layout().workerIdBits()).isEqualTo(10);
                    assertThat(context.getBean(Snowflake.class)).isSameAs(two.ids);
                });
    }

    @Test
    void twoGeneratorsOfOneNamespaceAreRefused() {
        memory.withPropertyValues("snowflake.generators.orders.namespace=snowflake")
                .withUserConfiguration(TwoGenerators.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("namespace 'snowflake' is that of generator 'default' too")
                        .hasMessageContaining("snowflake.generators.orders.namespace"));
    }

    @Test
    void aBadValueAndAMisspeltKeyAreReportedTogether() {
        memory.withPropertyValues("snowflake.window=60", "snowflake.namespac=ids")
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake.window=60")
                        .hasMessageContaining("snowflake.namespac is no key")
                        .hasMessageContaining("The nearest is snowflake.namespace"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"snowflake.workerIds", "snowflake.worker_ids", "snowflake.worker-ids[0]"})
    void aKeyIsWrittenExactlyThoughSpringIsUsedToOtherWays(String key) {
        memory.withPropertyValues(key + "=5")
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining(key + " is no key")
                        .hasMessageContaining("The nearest is snowflake.worker-ids"));
    }

    @Test
    void aNameThatIsNoGeneratorsNameIsRefused() {
        memory.withPropertyValues("snowflake.claim-at-start=My_Orders")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake.claim-at-start=My_Orders is no list of generators"));
    }

    @Test
    void anUnresolvedPlaceholderIsReportedWithItsKey() {
        memory.withPropertyValues("snowflake.namespace=${no.such.name}")
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining(
                                "snowflake 'default': snowflake.namespace=${no.such.name} refers to a property"));
    }

    @Test
    void aPropertyThatRefersToAMissingOneIsNotSaidToBeMissing() {
        memory.withPropertyValues(
                        "snowflake.namespace=${app.ns}",
                        "app.ns=hunter2${missing}",
                        "snowflake.window=60",
                        "snowflake.startup-timeout=${app.circle}",
                        "app.circle=${app.circle}")
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake: snowflake.namespace refers, perhaps through another property,"
                                + " to something that is not set.")
                        .hasMessageContaining("snowflake: snowflake.startup-timeout refers, perhaps")
                        .hasMessageContaining("snowflake.window=60")
                        .message()
                        .doesNotContain("hunter2", "refers to a property"));
    }

    @Test
    void noSecretIsShownBesideAnUnresolvedPlaceholder() {
        empty.withPropertyValues(
                        "snowflake.coordinator=jdbc",
                        "snowflake.jdbc.url=jdbc:postgresql://${DB_HOST}/ids?user=a&password=hunter2",
                        "snowflake.jdbc.password=hun${ter2}")
                .withUserConfiguration(Orders.class)
                .run(context -> {
                    assertThat(context.getStartupFailure())
                            .rootCause()
                            .isInstanceOf(InvalidSettingsException.class)
                            .hasMessageContaining("snowflake.jdbc.url=jdbc:postgresql://${DB_HOST}/ids?*** refers to")
                            .hasMessageContaining("snowflake.jdbc.password=(not shown) refers to a property");
                    assertThat(context.getStartupFailure()).hasStackTraceContaining("DB_HOST");
                    StringWriter all = new StringWriter();
                    context.getStartupFailure().printStackTrace(new PrintWriter(all));
                    assertThat(all.toString()).doesNotContain("hunter2", "hun$", "ter2");
                });
    }

    @Test
    void aPropertyThatIsEmptyHidesAVariable() {
        withVariables(memory, Map.of("SNOWFLAKE_WORKER_IDS", "33"))
                .withPropertyValues("snowflake.worker-ids=")
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static ApplicationContextRunner withVariables(ApplicationContextRunner runner, Map<String, Object> set) {
        return runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("variables-systemEnvironment", set)));
    }

    @Test
    void environmentVariablesAreReadWithAndWithoutTheHyphensOfTheirKeys() {
        for (String variable : List.of("SNOWFLAKE_WORKERIDS", "SNOWFLAKE_WORKER_IDS")) {
            withVariables(empty, Map.of("SNOWFLAKE_COORDINATOR", "memory", variable, "33"))
                    .withInitializer(EnvironmentAsBootPreparesIt::prepare)
                    .withUserConfiguration(Orders.class)
                    .run(context -> assertThat(
                                    context.getBean(Snowflake.class).status().workerId())
                            .as(variable)
                            .hasValue(33));
        }
    }

    @Test
    void aMisspeltEnvironmentVariableIsRefused() {
        withVariables(memory, Map.of("SNOWFLAKE_WORKERIDZ", "33"))
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("SNOWFLAKE_WORKERIDZ is no key")
                        .hasMessageContaining("SNOWFLAKE_WORKER_IDS"));
    }

    @Test
    void theVariableOfANamedGeneratorIsReadWithoutHyphensToo() {
        withVariables(memory, Map.of("SNOWFLAKE_GENERATORS_ORDERS_WORKERIDS", "5"))
                .withPropertyValues("snowflake.claim-at-start=orders")
                .withInitializer(EnvironmentAsBootPreparesIt::prepare)
                .run(context -> assertThat(context.getBean("snowflake.orders", Snowflake.class)
                                .status()
                                .workerId())
                        .hasValue(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ORDERIDS_WORKERIDS", "ORDER_IDS_WORKER_IDS"})
    void theVariableOfAGeneratorWithAHyphenIsReadWithAllOfThemOrWithNone(String variable) {
        withVariables(memory, Map.of("SNOWFLAKE_GENERATORS_" + variable, "5"))
                .withPropertyValues("snowflake.claim-at-start=order-ids")
                .withInitializer(EnvironmentAsBootPreparesIt::prepare)
                .run(context -> assertThat(context.getBean("snowflake.order-ids", Snowflake.class)
                                .status()
                                .workerId())
                        .hasValue(5));
    }

    // the second was ignored without a message
    @ParameterizedTest
    @ValueSource(strings = {"ORDERIDS_WORKER_IDS", "ORDER_IDS_WORKERIDS"})
    void anUnreadVariableOfAGeneratorIsRefused(String variable) {
        withVariables(memory, Map.of("SNOWFLAKE_GENERATORS_" + variable, "5"))
                .withPropertyValues("snowflake.claim-at-start=order-ids")
                .withInitializer(EnvironmentAsBootPreparesIt::prepare)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("SNOWFLAKE_GENERATORS_" + variable + " ")
                        .hasMessageContaining("SNOWFLAKE_GENERATORS_ORDER_IDS_WORKER_IDS"));
    }

    @Test
    void valuesOfYamlThatAreNoTextAreReadAsText() {
        memory.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("yaml", Map.of("snowflake.worker-ids", 9))))
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(
                                context.getBean(Snowflake.class).status().workerId())
                        .hasValue(9));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {
        @Bean
        static Snowflake fixed() {
            return TestSnowflake.workerId(7);
        }

        @Bean
        @Qualifier("orders")
        static Snowflake fixedOrders() {
            return TestSnowflake.workerId(8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TakesOwnBeans {
        TakesOwnBeans(@Qualifier("fixed") Snowflake ids, @Qualifier("orders") Snowflake orders) {
            assertThat(ids.status().workerId()).hasValue(7);
            assertThat(orders.status().workerId()).hasValue(8);
        }
    }

    @Test
    void beansOfTheApplicationTakeThePlaceOfOurs() {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                .withUserConfiguration(OwnBeans.class, TakesOwnBeans.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(LeasedSnowflake.class);
                    assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).calls())
                            .isZero();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOrders {
        @Bean
        @Qualifier("orders")
        static Snowflake orderIds() {
            return TestSnowflake.workerId(8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NamedLikeTheBean {
        final Snowflake ids;

        NamedLikeTheBean(Snowflake orderIds) {
            this.ids = orderIds;
        }
    }

    @Test
    void aBeanWithTheQualifierOrdersReplacesOnlyOrders() {
        for (String configured : List.of("default,orders", "default")) {
            memory.withPropertyValues("snowflake.claim-at-start=" + configured)
                    .withUserConfiguration(OwnOrders.class, TwoGenerators.class, NamedLikeTheBean.class)
                    .run(context -> {
                        TwoGenerators two = context.getBean(TwoGenerators.class);

                        assertThat(two.ids.status().generator()).isEqualTo("default");
                        assertThat(two.ids).isInstanceOf(LeasedSnowflake.class);
                        assertThat(two.orders).isInstanceOf(TestSnowflake.class);
                        assertThat(context.getBean(NamedLikeTheBean.class).ids).isSameAs(two.ids);
                        assertThat(context.getBean(Snowflake.class)).isSameAs(two.ids);
                        assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).meta("snowflake/orders"))
                                .isNull();
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDefault {
        @Bean
        @Qualifier("default")
        static Snowflake fixed() {
            return TestSnowflake.workerId(7);
        }
    }

    @Test
    void aBeanWithTheQualifierDefaultReplacesDefault() {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                .withUserConfiguration(OwnDefault.class, TwoGenerators.class)
                .run(context -> {
                    TwoGenerators two = context.getBean(TwoGenerators.class);

                    assertThat(two.ids).isInstanceOf(TestSnowflake.class);
                    assertThat(two.orders.status().generator()).isEqualTo("orders");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class BeanNamedOrders {
        @Bean
        static Snowflake orders() {
            return TestSnowflake.workerId(8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BeanWithTheAliasOrders {
        @Bean({"orderIds", "orders"})
        static Snowflake orderIds() {
            return TestSnowflake.workerId(8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NamedOrders {
        @Bean
        @Named("orders")
        static Snowflake orderIds() {
            return TestSnowflake.workerId(8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TakesNamed {
        final Snowflake ids;

        TakesNamed(@Named("orders") Snowflake ids) {
            this.ids = ids;
        }
    }

    @Test
    void aBeanThatIsNamedByTheAnnotationIsFoundByThatAsBefore() {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                .withUserConfiguration(NamedOrders.class, TakesNamed.class)
                .run(context ->
                        assertThat(context.getBean(TakesNamed.class).ids).isSameAs(context.getBean("orderIds")));
    }

    @ParameterizedTest
    @ValueSource(classes = {BeanNamedOrders.class, BeanWithTheAliasOrders.class, NamedOrders.class})
    void aBeanThatIsNamedLikeAGeneratorReplacesOnlyThatOne(Class<?> own) {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                .withUserConfiguration(own, TwoGenerators.class)
                .run(context -> {
                    TwoGenerators two = context.getBean(TwoGenerators.class);

                    assertThat(two.ids.status().generator()).isEqualTo("default");
                    assertThat(two.ids).isInstanceOf(LeasedSnowflake.class);
                    assertThat(two.orders).isInstanceOf(TestSnowflake.class);
                    assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).meta("snowflake/orders"))
                            .isNull();
                });
    }

    @Test
    void anObjectThatIsRegisteredByTheNameOfAGeneratorReplacesOnlyThatOne() {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                .withInitializer(
                        context -> context.getBeanFactory().registerSingleton("orders", TestSnowflake.workerId(8)))
                .withUserConfiguration(TwoGenerators.class)
                .run(context -> {
                    TwoGenerators two = context.getBean(TwoGenerators.class);

                    assertThat(two.ids).isInstanceOf(LeasedSnowflake.class);
                    assertThat(two.orders).isInstanceOf(TestSnowflake.class);
                });
    }

    @Test
    void aBeanWithANameThatIsNoGeneratorsReplacesDefault() {
        memory.withUserConfiguration(BeanNamedOrders.class, Orders.class)
                .run(context -> assertThat(context.getBean(Orders.class).ids).isInstanceOf(TestSnowflake.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryOrders {
        @Bean
        @Primary
        @Qualifier("orders")
        static Snowflake orderIds() {
            return TestSnowflake.workerId(8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryDecorator {
        @Bean
        @Primary
        @Qualifier("counted")
        static Snowflake counted(@Qualifier("default") Snowflake ids) {
            assertThat(ids.status().generator()).isEqualTo("default");
            return TestSnowflake.workerId(8);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {PrimaryOrders.class, PrimaryDecorator.class})
    void whereABeanOfTheApplicationIsPrimaryOursIsNot(Class<?> own) {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                .withUserConfiguration(own, Orders.class, TakesDefault.class)
                .run(context -> {
                    assertThat(context.getBean(Orders.class).ids).isInstanceOf(TestSnowflake.class);
                    assertThat(context.getBean(TakesDefault.class).ids).isInstanceOf(LeasedSnowflake.class);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class TakesDefault {
        final Snowflake ids;

        TakesDefault(@Qualifier("default") Snowflake ids) {
            this.ids = ids;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OrdersBehindAProxy {
        @Bean
        @Qualifier("orders")
        @Scope(proxyMode = ScopedProxyMode.INTERFACES)
        static Snowflake orderIds() {
            return TestSnowflake.workerId(8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NamedOrdersBehindAProxy {
        @Bean
        @Named("orders")
        @Scope(proxyMode = ScopedProxyMode.INTERFACES)
        static Snowflake orderIds() {
            return TestSnowflake.workerId(8);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OrdersBehindAProxy.class, NamedOrdersBehindAProxy.class})
    void aBeanBehindAProxyReplacesOnlyTheGeneratorOfItsQualifier(Class<?> own) {
        memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                .withUserConfiguration(own, TwoGenerators.class)
                .run(context -> {
                    TwoGenerators two = context.getBean(TwoGenerators.class);

                    assertThat(two.ids).isInstanceOf(LeasedSnowflake.class);
                    assertThat(two.orders.status().workerId()).hasValue(8);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Listener {
        final BlockingQueue<SnowflakeEvent> events = new LinkedBlockingQueue<>();

        @EventListener
        void on(SnowflakeEvent event) {
            events.add(event);
        }
    }

    @Test
    void listenersHearOfTheClaimThoughItCameBeforeThem() {
        memory.withUserConfiguration(Listener.class, Orders.class).run(context -> {
            SnowflakeEvent first = context.getBean(Listener.class).events.poll(60, TimeUnit.SECONDS);

            assertThat(first).isInstanceOf(SnowflakeEvent.Claimed.class);
            assertThat(first.workerId())
                    .isEqualTo(
                            context.getBean(Snowflake.class).status().workerId().orElseThrow());
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class FailsAfterTheClaim {
        FailsAfterTheClaim(Snowflake ids) {
            throw new IllegalStateException(
                    "broken after worker id " + ids.status().workerId());
        }
    }

    @Test
    void aStartThatFailsGivesTheWorkerIdBack() {
        memory.withPropertyValues("snowflake.worker-ids=3")
                .withUserConfiguration(FailsAfterTheClaim.class)
                .run(context -> {
                    assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("broken after worker id");
                    assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).mark("snowflake", 3))
                            .isNotNull();
                    assertThat(isHeld("snowflake", 3)).isFalse();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class FinishesNoGenerator {
        @Bean
        static BeanPostProcessor failing() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof Snowflake) {
                        throw new IllegalStateException("no proxy for " + name);
                    }
                    return bean;
                }
            };
        }
    }

    // Spring closes only beans that were finished: the worker id was held until the JVM ended
    @ParameterizedTest
    @CsvSource({"default, snowflake", "orders, snowflake/orders"})
    void aGeneratorWhoseBeanCannotBeFinishedGivesTheWorkerIdBack(String generator, String namespace) {
        memory.withPropertyValues("snowflake.worker-ids=3", "snowflake.claim-at-start=" + generator)
                .withUserConfiguration(FinishesNoGenerator.class)
                .run(context -> {
                    assertThat(context.getStartupFailure())
                            .rootCause()
                            .hasMessage("no proxy for snowflake." + generator);
                    assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).mark(namespace, 3))
                            .isNotNull();
                    assertThat(isHeld(namespace, 3)).isFalse();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class LastWords {
        static final List<Long> LAST = new CopyOnWriteArrayList<>();

        @Bean
        static DisposableBean usesDefault(Snowflake ids) {
            return () -> LAST.add(ids.nextId());
        }

        @Bean
        static DisposableBean usesOrders(@Qualifier("orders") Snowflake ids) {
            return () -> LAST.add(ids.nextId());
        }
    }

    @Test
    void aBeanHasAnIdForItsLastWords() {
        LastWords.LAST.clear();

        memory.withPropertyValues("snowflake.generators.orders.worker-ids=3")
                .withUserConfiguration(LastWords.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(LastWords.LAST).hasSize(2);
    }

    @Configuration(proxyBeanMethods = false)
    static class RegistryOfAnotherVersion {
        RegistryOfAnotherVersion(MeterBinder meters) {
            MeterRegistry registry = new SimpleMeterRegistry();
            registry.config().onMeterAdded(meter -> {
                throw new NoSuchMethodError("void Registry.added(Meter)");
            });
            meters.bindTo(registry);
        }
    }

    @Test
    void aRegistryOfAnotherVersionIsNotWorthAStart() {
        for (List<Class<?>> order : List.<List<Class<?>>>of(
                List.of(RegistryOfAnotherVersion.class, Orders.class),
                List.of(Orders.class, RegistryOfAnotherVersion.class))) {
            memory.withUserConfiguration(order.toArray(Class<?>[]::new))
                    .run(context -> assertThat(context.getBean(Orders.class).ids.nextId())
                            .isPositive());
        }
    }

    @Test
    void neitherActuatorNorMicrometerNorJpaIsNeeded() {
        memory.withClassLoader(new FilteredClassLoader(name -> name.startsWith("org.springframework.boot.actuate.")
                        || name.startsWith("org.springframework.boot.health.")
                        || name.startsWith("org.springframework.orm.")
                        || name.startsWith("org.hibernate.")
                        || name.startsWith("org.snowflakeid.hibernate.")
                        || name.startsWith("org.snowflakeid.metrics.")
                        || name.startsWith("io.micrometer.")))
                .withUserConfiguration(Orders.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean("snowflakeHealthIndicator");
                    assertThat(context.getBean(Snowflake.class).nextId()).isPositive();
                });
        memory.run(
                context -> assertThat(context).hasSingleBean(MeterBinder.class).hasBean("snowflakeHealthIndicator"));
    }

    // Spring Boot let no bean of that name replace ours, and so did not start
    @ParameterizedTest
    @ValueSource(strings = {"snowflakeHealthIndicator", "snowflakeHealthContributor"})
    void theApplicationsHealthOfTheDataWarehouseTakesThePlaceOfOurs(String name) {
        Object own = new Object();

        memory.withBean(name, Object.class, () -> own).run(context -> {
            assertThat(context).hasNotFailed().getBean(name).isSameAs(own);
            assertThat(context.getBeanDefinitionNames())
                    .filteredOn(each -> each.startsWith("snowflakeHealth"))
                    .containsExactly(name);
        });
    }

    @Test
    void theCoordinatorsOfTheApplicationDecideAsEverywhere() {
        // This class path has those of a folder and of a database.
        empty.withUserConfiguration(Orders.class).run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .hasMessage("snowflake 'default': several coordinators are on the class path: file, jdbc."
                        + " Set snowflake.coordinator to one of these."));
    }

    @Test
    void theFixedWorkerIdIsThere() {
        empty.withPropertyValues("snowflake.coordinator=static", "snowflake.static.worker-id=11")
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(
                                context.getBean(Snowflake.class).status().workerId())
                        .hasValue(11));
    }

    @Test
    void aDurationIsReadAsInEveryRuntime() {
        // Spring would read 30 as milliseconds, and 30s too.
        for (String duration : List.of("30", "30s")) {
            memory.withPropertyValues("snowflake.window=" + duration)
                    .withUserConfiguration(Orders.class)
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .hasMessageContaining("snowflake.window=" + duration)
                            .hasMessageContaining("PT"));
        }
        memory.withPropertyValues("snowflake.window=PT30S")
                .withUserConfiguration(Orders.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
