// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.UnsatisfiedResolutionException;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import jakarta.inject.Provider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;

class InjectionTest {

    private static final List<String> JOURNAL = RecordingCoordinatorProvider.JOURNAL;

    @BeforeEach
    void forgetEarlierTests() {
        JOURNAL.clear();
    }

    @Dependent
    static class Fields {
        @Inject
        Snowflake unnamed;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;

        @Inject
        @SnowflakeName("default")
        Snowflake calledDefault;
    }

    @Test
    void claimsAnInjectedGeneratorBeforeAnybodyAsksForIt() {
        try (Application application = Application.of(Fields.class)) {
            assertThat(JOURNAL).containsExactlyInAnyOrder("claimed snowflake", "claimed snowflake/orders");

            Fields bean = application.get(Fields.class);

            assertThat(bean.unnamed.nextId()).isPositive();
            assertThat(bean.unnamed.nextIds(3)).hasSize(3).isSorted();
            assertThat(bean.unnamed.layout()).isEqualTo(bean.orders.layout());
            assertThat(bean.orders.status().generator()).isEqualTo("orders");
            assertThat(bean.orders.status().namespace()).isEqualTo("snowflake/orders");
            assertThat(bean.orders.status().state()).isEqualTo(State.ACTIVE);
            assertThat(JOURNAL).hasSize(2);
        }
    }

    @Test
    void injectsTheOneGeneratorItselfAndNoProxy() {
        try (Application application = Application.of(Fields.class)) {
            Fields one = application.get(Fields.class);
            Fields other = application.get(Fields.class);

            assertThat(one).isNotSameAs(other);
            assertThat(one.unnamed)
                    .isSameAs(other.unnamed)
                    .isSameAs(one.calledDefault)
                    .isExactlyInstanceOf(InjectedSnowflake.class)
                    .isNotSameAs(one.orders);
        }
    }

    @Dependent
    static class Constructed {
        final Snowflake ids;

        @Inject
        Constructed(@SnowflakeName("constructor") Snowflake ids) {
            this.ids = ids;
        }
    }

    @Dependent
    static class Initialised {
        @Inject
        void use(@SnowflakeName("initializer") Snowflake ids) {
            assertThat(ids.nextId()).isPositive();
        }
    }

    static class Made {}

    @Dependent
    static class Maker {
        @Produces
        static Made make(@SnowflakeName("producer") Snowflake ids) {
            assertThat(ids.nextId()).isPositive();
            return new Made();
        }

        static void unmake(@Disposes Made made, @SnowflakeName("disposer") Snowflake ids) {
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Dependent
    static class Observer {
        void observe(@Observes String event, @SnowflakeName("observer") Snowflake ids) {
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Dependent
    static class Lazy {
        @Inject
        @SnowflakeName("instance")
        Instance<Snowflake> instance;

        @Inject
        @SnowflakeName("provider")
        Provider<Snowflake> provider;
    }

    @Test
    void findsGeneratorsWhereverTheyAreInjected() {
        try (Application application =
                Application.of(Constructed.class, Initialised.class, Maker.class, Observer.class, Lazy.class)) {
            assertThat(JOURNAL)
                    .containsExactlyInAnyOrder(
                            "claimed snowflake/constructor",
                            "claimed snowflake/initializer",
                            "claimed snowflake/producer",
                            "claimed snowflake/disposer",
                            "claimed snowflake/observer",
                            "claimed snowflake/instance",
                            "claimed snowflake/provider");

            assertThat(application.get(Constructed.class).ids.nextId()).isPositive();
            assertThat(application.get(Initialised.class)).isNotNull();
            assertThat(application.get(Made.class)).isNotNull();
            application.container().getBeanManager().getEvent().fire("event");
            Lazy lazy = application.get(Lazy.class);
            assertThat(lazy.instance.get().nextId()).isPositive();
            assertThat(lazy.provider.get().nextId()).isPositive();
            assertThat(JOURNAL).hasSize(7);
        }
    }

    @Dependent
    static class Unqualified {
        @Inject
        Instance<Snowflake> ids;
    }

    @Test
    void claimsTheUnnamedGeneratorOfAnInstanceWithoutQualifier() {
        try (Application application = Application.of(Unqualified.class)) {
            assertThat(JOURNAL).containsExactly("claimed snowflake");
            assertThat(application.get(Unqualified.class).ids.isResolvable()).isTrue();
        }
    }

    @Dependent
    static class Chooser {
        @Inject
        @Any
        Instance<Snowflake> ids;
    }

    @Test
    void claimsNothingForAnInstanceOfAnyUntilOneIsChosen() {
        try (Application application = Application.of(Chooser.class)) {
            Chooser chooser = application.get(Chooser.class);
            assertThat(JOURNAL).isEmpty();

            assertThat(chooser.ids.select(SnowflakeName.Literal.of("default")).get().nextId())
                    .isPositive();

            assertThat(JOURNAL).containsExactly("claimed snowflake");
            assertThat(chooser.ids.select(SnowflakeName.Literal.of("nobody-injects-it")).isResolvable())
                    .isFalse();
        }
    }

    @Dependent
    static class Unconcerned {}

    @Test
    void claimsNothingIfNothingIsInjected() {
        try (Application application = Application.of(Unconcerned.class)) {
            assertThat(application.get(Unconcerned.class)).isNotNull();
        }
        assertThat(JOURNAL).isEmpty();
    }

    @Test
    void claimsAtTheFirstLookupWhatIsOnlyLookedUp() {
        try (Application application = Application.of(Unconcerned.class)) {
            assertThat(JOURNAL).isEmpty();

            Snowflake ids = application.container().select(Snowflake.class).get();

            assertThat(ids.nextId()).isPositive();
            assertThat(CDI.current().select(Snowflake.class).get().nextId()).isPositive();

            assertThat(JOURNAL).containsExactly("claimed snowflake");
        }
        assertThat(JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }

    @Test
    void looksUpANamedGeneratorThatIsInjectedSomewhere() {
        try (Application application = Application.of(Fields.class)) {
            Snowflake orders = CDI.current()
                    .select(Snowflake.class, SnowflakeName.Literal.of("orders"))
                    .get();

            assertThat(orders).isSameAs(application.get(Fields.class).orders);
        }
    }

    @Test
    void refusesToLookUpANameThatNobodyInjects() {
        try (Application application = Application.of(Fields.class)) {
            var lookup = application.container().select(Snowflake.class, SnowflakeName.Literal.of("invoices"));

            assertThatThrownBy(lookup::get).isInstanceOf(UnsatisfiedResolutionException.class);
        }
    }

    @ApplicationScoped
    static class UsedAtStart {
        static final List<Long> IDS = new ArrayList<>();

        void start(@Observes @Initialized(ApplicationScoped.class) Object event, Snowflake ids) {
            IDS.add(ids.nextId());
        }
    }

    @Test
    void isReadyForTheApplicationsOwnObserversOfTheStart() {
        UsedAtStart.IDS.clear();
        try (Application application = Application.of(UsedAtStart.class)) {
            assertThat(UsedAtStart.IDS).singleElement().satisfies(id -> assertThat(id).isPositive());
            assertThat(application.container().isRunning()).isTrue();
            assertThat(JOURNAL).containsExactly("claimed snowflake");
        }
    }
}
