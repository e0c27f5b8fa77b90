// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.inject.Inject;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Platform;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;

/** What libraries hear that show what generators do. */
class ClaimedGeneratorTest {

    @Dependent
    static class Shop {
        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @ApplicationScoped
    static class Shown {
        private final List<ClaimedGenerator> claimed = new ArrayList<>();
        private final List<State> atTheEnd = new ArrayList<>();

        void show(@Observes ClaimedGenerator generator) {
            claimed.add(generator);
            generator.whenClosed(() -> {
                throw new IllegalStateException("no exporter");
            });
            generator.whenClosed(() -> {
                throw new StackOverflowError("in the exporter");
            });
            generator.whenClosed(() -> atTheEnd.add(generator.ids().status().state()));
        }

        List<ClaimedGenerator> claimed() {
            return claimed;
        }

        List<State> atTheEnd() {
            return atTheEnd;
        }
    }

    @Test
    void isToldOnceForEachGeneratorThatIsOpen() {
        try (Application application = Application.of(Shop.class, Shown.class)) {
            List<ClaimedGenerator> claimed = application.get(Shown.class).claimed();

            assertThat(claimed).hasSize(1);
            assertThat(claimed.get(0).ids()).isSameAs(application.get(Shop.class).orders);
            assertThat(claimed.get(0).ids().nextId()).isPositive();
        }
    }

    @Test
    void isNotToldOfWhatIsOnlyLookedUp() {
        try (Application application = Application.of(LookedUp.class, Shown.class)) {
            assertThat(application.get(Snowflake.class).nextId()).isPositive();

            assertThat(application.get(Shown.class).claimed()).isEmpty();
        }
    }

    @Dependent
    static class LookedUp {
        @Inject
        Instance<Object> all;
    }

    @Test
    void isToldWhenItHasBeenClosedWhateverAnotherThrows() {
        List<State> atTheEnd;
        try (Application application = Application.of(Shop.class, Shown.class)) {
            atTheEnd = application.get(Shown.class).atTheEnd();
            assertThat(atTheEnd).isEmpty();
        }

        assertThat(atTheEnd).containsExactly(State.CLOSED);
    }

    @Test
    void isToldAtOnceIfItIsClosedAlready() {
        try (Application application = Application.of(Shop.class, Shown.class)) {
            ClaimedGenerator orders = application.get(Shown.class).claimed().get(0);
            Generators.destroy(orders.ids());
            List<State> late = new ArrayList<>();

            orders.whenClosed(() -> late.add(orders.ids().status().state()));

            assertThat(late).containsExactly(State.CLOSED);
        }
    }

    // the end failed with a ConcurrentModificationException, or waited for a thread that waited for it
    @Test
    void whatIsToldOfItsEndMayUseItOnAnyThread() {
        try (Application application = Application.of(Shop.class, Shown.class)) {
            ClaimedGenerator orders = application.get(Shown.class).claimed().get(0);
            List<String> ended = new ArrayList<>();
            orders.whenClosed(() -> orders.whenClosed(() -> ended.add("within")));
            orders.whenClosed(() -> {
                CompletableFuture.runAsync(() -> orders.whenClosed(() -> {}))
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join();
                ended.add("beside");
            });

            Generators.destroy(orders.ids());

            assertThat(ended).containsExactly("within", "beside");
        }
    }

    @Test
    void stopsNoStartIfAnObserverIsOfAnotherVersion() {
        Extension ofAnotherVersion = new ThrowingObserver(new NoSuchMethodError("void Registry.add(Meter)"));

        try (Warnings warnings = new Warnings("snowflake 'orders': an observer of ClaimedGenerator failed.");
                Application application =
                        Application.with().extendedBy(ofAnotherVersion).of(Shop.class)) {
            assertThat(application.get(Shop.class).orders.nextId()).isPositive();
            assertThat(warnings.all()).hasSize(1);
        }
    }

    @Test
    void isToldOfTheEndOfEachThoughClosingOneFails() {
        AtomicBoolean failing = new AtomicBoolean();
        Thread closing = Thread.currentThread();
        Platform platform = (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(), new Class<?>[] {Platform.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("unpark")
                            && Thread.currentThread().equals(closing)
                            && failing.getAndSet(false)) {
                        throw new InternalError("while it was closed");
                    }
                    return method.invoke(Platform.system(), arguments);
                });
        List<InjectedSnowflake> generators = Stream.of("one", "two")
                .map(name -> SnowflakeSettings.of(Map.of("snowflake.namespace", name)))
                .map(settings -> new InjectedSnowflake(
                        LeasedSnowflake.open(settings, new RecordingCoordinatorProvider(), platform)))
                .toList();
        List<Snowflake> ended = new ArrayList<>();
        generators.forEach(ids -> ids.whenClosed(() -> ended.add(ids)));
        failing.set(true);

        assertThatThrownBy(() -> InjectedSnowflake.closeAll(generators)).hasMessage("while it was closed");

        assertThat(ended).isEqualTo(generators);
    }

    @Test
    void isToldOfTheEndThoughTheLogFailsToo() {
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                throw new IllegalStateException("no space left on device");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger(InjectedSnowflake.class.getName());
        List<State> atTheEnd;
        try (Application application = Application.of(Shop.class, Shown.class)) {
            atTheEnd = application.get(Shown.class).atTheEnd();
            log.addHandler(broken);
        } finally {
            log.removeHandler(broken);
        }

        assertThat(atTheEnd).containsExactly(State.CLOSED);
    }
}
