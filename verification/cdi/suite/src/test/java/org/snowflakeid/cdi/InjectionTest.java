// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Specializes;
import jakarta.enterprise.inject.UnsatisfiedResolutionException;
import jakarta.enterprise.inject.literal.NamedLiteral;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Provider;
import jakarta.inject.Qualifier;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeStatus;
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
    void claimsAnInjectedGeneratorBeforeItsFirstUse() {
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

    /** A proxy stands before it, the generator behind needs none. */
    @ApplicationScoped
    static class Shared {
        @Inject
        @SnowflakeName("shared")
        Snowflake ids;

        Snowflake ids() {
            return ids;
        }
    }

    @RequestScoped
    static class PerRequest {
        private final List<Snowflake> injected = new ArrayList<>();

        /** For the proxy. */
        PerRequest() {}

        @Inject
        PerRequest(@SnowflakeName("request") Snowflake ids, @SnowflakeName("request") Instance<Snowflake> same) {
            injected.add(ids);
            injected.add(same.get());
        }

        List<Snowflake> injected() {
            return injected;
        }
    }

    @Test
    void injectsTheSameGeneratorIntoBeansOfEachScope() {
        try (Application application = Application.of(Shared.class, PerRequest.class)) {
            assertThat(JOURNAL).containsExactlyInAnyOrder("claimed snowflake/shared", "claimed snowflake/request");
            assertThat(application.get(Shared.class).ids()).isExactlyInstanceOf(InjectedSnowflake.class);

            RequestContextController requests = application.get(RequestContextController.class);
            List<Snowflake> seen = new ArrayList<>();
            for (int request = 0; request < 2; request++) {
                requests.activate();
                seen.addAll(application.get(PerRequest.class).injected());
                requests.deactivate();
            }

            assertThat(seen).hasSize(4).containsOnly(seen.get(0));
            assertThat(JOURNAL).hasSize(2);
        }
    }

    static class Inherited {
        @Inject
        @SnowflakeName("inherited")
        Snowflake ids;
    }

    @Dependent
    static class Heir extends Inherited {}

    @Test
    void findsWhatASuperclassInjects() {
        try (Application application = Application.of(Heir.class)) {
            assertThat(application.get(Heir.class).ids.nextId()).isPositive();
            assertThat(JOURNAL).containsExactly("claimed snowflake/inherited");
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Numbered {}

    @Numbered
    @Interceptor
    @Priority(1)
    static class Numberer {
        @Inject
        @SnowflakeName("interceptor")
        Snowflake ids;

        @AroundInvoke
        Object number(InvocationContext call) throws Exception {
            return ids.nextId() + " " + call.proceed();
        }
    }

    @Dependent
    static class Printer {
        @Numbered
        String print() {
            return "printed";
        }
    }

    @Test
    void findsWhatAnInterceptorInjects() {
        try (Application application = Application.of(Numberer.class, Printer.class)) {
            assertThat(JOURNAL).containsExactly("claimed snowflake/interceptor");
            assertThat(application.get(Printer.class).print()).matches("\\d+ printed");
        }
    }

    interface Greeting {
        String greet();
    }

    @Dependent
    static class Hello implements Greeting {
        @Override
        public String greet() {
            return "hello";
        }
    }

    @Decorator
    @Priority(1)
    static class NumberedGreeting implements Greeting {
        @Inject
        @Delegate
        Greeting greeting;

        @Inject
        @SnowflakeName("decorator")
        Snowflake ids;

        @Override
        public String greet() {
            return ids.nextId() + " " + greeting.greet();
        }
    }

    @Test
    void findsWhatADecoratorInjects() {
        try (Application application = Application.of(Hello.class, NumberedGreeting.class)) {
            assertThat(JOURNAL).containsExactly("claimed snowflake/decorator");
            assertThat(application.get(Greeting.class).greet()).matches("\\d+ hello");
        }
    }

    @Qualifier
    @Retention(RetentionPolicy.RUNTIME)
    @interface Own {}

    @Dependent
    static class OwnMaker {
        @Produces
        @Own
        static Snowflake make(@SnowflakeName("orders") Snowflake ids) {
            return ids;
        }
    }

    @Dependent
    static class OwnUser {
        @Inject
        @Own
        Snowflake ids;
    }

    @Test
    void leavesOtherQualifiersToTheApplication() {
        try (Application application = Application.of(OwnMaker.class, OwnUser.class)) {
            assertThat(application.get(OwnUser.class).ids.status().generator()).isEqualTo("orders");
            assertThat(JOURNAL).containsExactly("claimed snowflake/orders");
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

            assertThat(chooser.ids
                            .select(SnowflakeName.Literal.of("default"))
                            .get()
                            .nextId())
                    .isPositive();

            assertThat(JOURNAL).containsExactly("claimed snowflake");
            assertThat(chooser.ids
                            .select(SnowflakeName.Literal.of("not-injected"))
                            .isResolvable())
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
    void refusesToLookUpANameThatNoBeanInjects() {
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
            assertThat(UsedAtStart.IDS).singleElement().satisfies(id -> assertThat(id)
                    .isPositive());
            assertThat(application.container().isRunning()).isTrue();
            assertThat(JOURNAL).containsExactly("claimed snowflake");
        }
    }

    @Dependent
    @Alternative
    static class DisabledAlternative {
        @Inject
        @SnowflakeName("alternative")
        Snowflake ids;

        void observe(@Observes String event, @SnowflakeName("alternative-observer") Snowflake ids) {}
    }

    @Dependent
    @Alternative
    static class DisabledMaker {
        @Produces
        static Made make(@SnowflakeName("alternative-producer") Snowflake ids) {
            return new Made();
        }
    }

    @Numbered
    @Interceptor
    static class DisabledInterceptor {
        @Inject
        @SnowflakeName("interceptor")
        Snowflake ids;

        @AroundInvoke
        Object number(InvocationContext call) throws Exception {
            return call.proceed();
        }
    }

    @Decorator
    static class DisabledDecorator implements Greeting {
        @Inject
        @Delegate
        Greeting greeting;

        @Inject
        @SnowflakeName("decorator")
        Snowflake ids;

        @Override
        public String greet() {
            return greeting.greet();
        }
    }

    static class Part {}

    @Dependent
    static class GeneralMaker {
        @Produces
        Part make(@SnowflakeName("general") Snowflake ids) {
            return new Part();
        }
    }

    @Dependent
    @Alternative
    @Priority(1)
    static class SpecialMaker extends GeneralMaker {
        @Override
        @Produces
        @Specializes
        Part make(@SnowflakeName("special") Snowflake ids) {
            return super.make(ids);
        }
    }

    @Test
    void claimsNothingForBeansThatAreNotEnabled() {
        List<Class<?>> beans =
                new ArrayList<>(List.of(Fields.class, Hello.class, DisabledAlternative.class, DisabledDecorator.class));
        if (!Application.BUILD_COMPATIBLE_ALONE) {
            // Weld wants these to be valid, and does not show them to the build compatible extension.
            beans.addAll(List.of(DisabledMaker.class, DisabledInterceptor.class));
        }
        try (Application application = Application.of(beans.toArray(Class<?>[]::new))) {
            assertThat(application.get(Greeting.class).greet()).isEqualTo("hello");
            assertThat(JOURNAL).containsExactlyInAnyOrder("claimed snowflake", "claimed snowflake/orders");
        }
    }

    @Test
    void claimsNothingForAProducerThatIsSpecialized() {
        try (Application application = Application.of(GeneralMaker.class, SpecialMaker.class)) {
            assertThat(application.get(Part.class)).isNotNull();
            if (Application.BUILD_COMPATIBLE_ALONE) {
                // CDI Lite knows no specialization, nor does its extension.
                assertThat(JOURNAL).contains("claimed snowflake/special");
            } else {
                assertThat(JOURNAL).containsExactly("claimed snowflake/special");
            }
        }
    }

    @Named("org")
    @Dependent
    static class Organization {
        @Inject
        Snowflake ids;
    }

    // on Weld the application did not start: what comes before a dot in a bean's name can't be the name of another
    @Test
    void takesNoNameFromTheBeansOfTheApplication() {
        try (Application application = Application.of(Organization.class, Fields.class)) {
            assertThat(application.container().select(NamedLiteral.of("org")).get())
                    .isInstanceOfSatisfying(Organization.class, org -> assertThat(org.ids.nextId())
                            .isPositive());
        }
    }

    @Dependent
    static class Nested {
        @Inject
        @SnowflakeName("nested")
        Provider<Instance<Snowflake>> ids;
    }

    @Test
    void findsTheInstanceOfAProvider() {
        try (Application application = Application.of(Nested.class)) {
            assertThat(JOURNAL).containsExactly("claimed snowflake/nested");
            Instance<?> instance = application.get(Nested.class).ids.get();
            // OpenWebBeans gives instances of instances, without end.
            assertThat(instance.get()).isInstanceOfAny(InjectedSnowflake.class, Instance.class);
            assertThat(JOURNAL).hasSize(1);
        }
    }

    @Decorator
    @Priority(1)
    static class Doubling implements Snowflake {
        @Inject
        @Delegate
        @Any
        Snowflake ids;

        @Override
        public long nextId() {
            return -ids.nextId();
        }

        @Override
        public long[] nextIds(int count) {
            return ids.nextIds(count);
        }

        @Override
        public SnowflakeLayout layout() {
            return ids.layout();
        }

        @Override
        public SnowflakeStatus status() {
            return ids.status();
        }
    }

    /** As documented: they are synthetic beans. */
    @Test
    void decoratorsDoNotApplyToGenerators() {
        try (Application application = Application.of(Fields.class, Doubling.class)) {
            assertThat(application.get(Fields.class).unnamed.nextId()).isPositive();
            assertThat(JOURNAL).containsExactlyInAnyOrder("claimed snowflake", "claimed snowflake/orders");
        }
    }

    @Test
    void aLookupDuringARequestLeavesNothingOfItInTheGeneratorsThreads() {
        RecordingCoordinatorProvider.REQUEST.set("a request's user");
        try (Application application = Application.of(Unconcerned.class)) {
            Snowflake ids = application.container().select(Snowflake.class).get();

            assertThat(ids.nextId()).isPositive();
            assertThat(RecordingCoordinatorProvider.claimedIn).isEqualTo("nothing");
        } finally {
            RecordingCoordinatorProvider.REQUEST.remove();
        }
    }

    @Test
    void lookingThroughTheHandlesOfAllClaimsNothing() {
        try (Application application = Application.of(Chooser.class)) {
            for (Instance.Handle<Snowflake> handle :
                    application.get(Chooser.class).ids.handles()) {
                assertThat(handle.getBean().getTypes()).contains(Snowflake.class);
            }
            assertThat(JOURNAL).isEmpty();
        }
    }
}
