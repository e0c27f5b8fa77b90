// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
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
}
