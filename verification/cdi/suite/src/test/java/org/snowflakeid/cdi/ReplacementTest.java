// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.Readiness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeStatus;

class ReplacementTest {

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @Singleton
    @Alternative
    @Priority(1)
    static class Counter implements Snowflake {
        private long last;

        @Override
        public long nextId() {
            return ++last;
        }

        @Override
        public long[] nextIds(int count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SnowflakeLayout layout() {
            return SnowflakeLayout.STANDARD;
        }

        @Override
        public SnowflakeStatus status() {
            throw new UnsupportedOperationException();
        }
    }

    /** For CDI 4.0 the priority must stand here, not on the producers. */
    @ApplicationScoped
    @Alternative
    @Priority(1)
    static class Counters {
        @Produces
        @Singleton
        Counter ids() {
            return new Counter();
        }

        @Produces
        @Singleton
        @SnowflakeName("orders")
        Counter orderIds() {
            return new Counter();
        }
    }

    @Dependent
    static class User {
        @Inject
        Snowflake ids;
    }

    @Dependent
    static class UserOfTwo {
        @Inject
        Snowflake ids;

        @Inject
        Counter same;

        @Inject
        @SnowflakeName("orders")
        Snowflake orderIds;
    }

    @Test
    void anAlternativeTakesTheGeneratorsPlaceAndNothingIsClaimed() {
        // Not even its settings matter.
        try (Application application = Application.with("snowflake.window=long").of(User.class, Counter.class)) {
            assertThat(application.get(User.class).ids.nextId()).isEqualTo(1);
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    // on servers where an extension sees the beans of its own jar alone, the replaced generator was checked and claimed
    @Test
    void anAlternativeThatTheExtensionsArchiveDoesNotSeeTakesTheGeneratorsPlaceToo() {
        try (Application application = Application.with("snowflake.window=long").of(User.class, Counter.class)) {
            BeanContainer narrow = withoutCounters(application.container().getBeanContainer());

            assertThat(new GeneratorBeans(narrow).isInUse("default")).isFalse();
            new Generators(narrow, List.of("default")).claim();
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    private static BeanContainer withoutCounters(BeanContainer whole) {
        return (BeanContainer) Proxy.newProxyInstance(
                ReplacementTest.class.getClassLoader(),
                new Class<?>[] {BeanContainer.class},
                (proxy, method, arguments) -> {
                    Object answer = method.invoke(whole, arguments);
                    return method.getName().equals("getBeans")
                            ? ((Set<?>) answer)
                                    .stream()
                                            .filter(bean -> ((Bean<?>) bean).getBeanClass() != Counter.class)
                                            .collect(Collectors.toSet())
                            : answer;
                });
    }

    @Test
    void producersOfAnAlternativeTakeTheGeneratorsPlaces() {
        try (Application application = Application.with("snowflake.window=long").of(UserOfTwo.class, Counters.class)) {
            UserOfTwo user = application.get(UserOfTwo.class);
            assertThat(user.ids.nextId()).isEqualTo(1);
            assertThat(user.same.nextId()).isEqualTo(2);
            assertThat(user.orderIds.nextId()).isEqualTo(1);
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    @Test
    void theSettingsOfAReplacedGeneratorDoNotMatterToAnother() {
        try (Application application = Application.with(
                        "snowflake.generators.orders.window=PT30S",
                        "snowflake.clock.on-rollback=panic",
                        "snowflake.generators.orders.clock.on-rollback=fail")
                .of(UserOfDefaultAndOrders.class, Counter.class)) {
            UserOfDefaultAndOrders user = application.get(UserOfDefaultAndOrders.class);
            assertThat(user.ids.nextId()).isEqualTo(1);
            assertThat(user.orderIds.nextId()).isGreaterThan(1);
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .containsExactly("claimed snowflake/orders", "released snowflake/orders");
    }

    @Test
    void theKeysOfAReplacedGeneratorDoNotMatterToAnother() {
        try (Application application = Application.with(
                        "snowflake.generators.orders.window=long", "SNOWFLAKE_GENERATORS_ORDERS_WINDWO=PT3S")
                .of(UserOfDefaultAndOrders.class, OrderCounters.class)) {
            UserOfDefaultAndOrders user = application.get(UserOfDefaultAndOrders.class);
            assertThat(user.ids.nextId()).isGreaterThan(1);
            assertThat(user.orderIds.nextId()).isEqualTo(1);
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }

    @Dependent
    static class UserOfDefaultAndOrders {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orderIds;
    }

    @ApplicationScoped
    @Alternative
    @Priority(1)
    static class OrderCounters {
        @Produces
        @Singleton
        @SnowflakeName("orders")
        Counter orderIds() {
            return new Counter();
        }
    }

    /** No alternative: who injects a Snowflake would not know which. */
    @Dependent
    static class OneMore {
        @Produces
        @Singleton
        static Snowflake ids() {
            return new Counter();
        }
    }

    @Dependent
    static class UserOfOrders {
        @Inject
        @SnowflakeName("orders")
        Snowflake orderIds;

        @Inject
        @Any
        Instance<Snowflake> all;

        @Inject
        Instance<Snowflake> ambiguous;
    }

    @Test
    void anotherBeanOfTheTypeHarmsNeitherStartNorReadiness() {
        try (Application application = Application.of(UserOfOrders.class, OneMore.class)) {
            assertThat(application.get(UserOfOrders.class).orderIds.nextId()).isPositive();
            assertThat(application.get(UserOfOrders.class).all.isAmbiguous()).isTrue();
            assertThat(application.get(UserOfOrders.class).ambiguous.isAmbiguous())
                    .isTrue();

            HealthCheck readiness = application
                    .container()
                    .select(HealthCheck.class, Readiness.Literal.INSTANCE)
                    .get();
            assertThat(readiness.call().getData().orElseThrow())
                    .containsEntry("orders.state", "ACTIVE")
                    .doesNotContainKey("default.state");
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .containsExactly("claimed snowflake/orders", "released snowflake/orders");
    }

    /** An alternative made by another extension, which looks like our own beans. */
    static final class SyntheticAlternative implements Extension {
        void add(@Observes AfterBeanDiscovery event) {
            event.<Snowflake>addBean()
                    .beanClass(Snowflake.class)
                    .types(Snowflake.class, Object.class)
                    .qualifiers(Any.Literal.INSTANCE, Default.Literal.INSTANCE)
                    .scope(Singleton.class)
                    .alternative(true)
                    .priority(1)
                    .createWith(context -> new Counter());
        }
    }

    // OpenWebBeans passes over such an alternative, and a worker id was claimed without a word
    @Test
    void aSyntheticAlternativeTakesTheGeneratorsPlaceOrTheStartIsRefused() {
        Throwable refusal = catchThrowable(() -> {
            try (Application application =
                    Application.with().extendedBy(new SyntheticAlternative()).of(User.class)) {
                assertThat(application.get(User.class).ids).isInstanceOf(Counter.class);
                HealthCheck readiness = application
                        .container()
                        .select(HealthCheck.class, Readiness.Literal.INSTANCE)
                        .get();
                assertThat(readiness.call().getData().orElseThrow()).isEmpty();
            }
        });

        if (refusal != null) {
            assertThat(refusal)
                    .hasStackTraceContaining("snowflake 'default': this container knows an alternative for it")
                    .hasStackTraceContaining("Declare the alternative as a class or a producer");
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }
}
