// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** As {@link FailedStartTest}, where the portable extension is the only one that can learn of it. Quarkus ends what it has begun. */
class FailedStartupTest {

    @BeforeEach
    @AfterEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.incompleteAfterAClaim = false;
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;
    }

    @ApplicationScoped
    static class LateServer {
        void open(@Observes Startup event) {
            throw new NoClassDefFoundError("org/driver/Missing");
        }
    }

    @Test
    void givesWorkerIdsBackIfAnObserverOfStartupFails() {
        assertThatThrownBy(() -> Application.of(Shop.class, LateServer.class))
                .hasStackTraceContaining("org/driver/Missing");

        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }

    @Dependent
    static class OrderShop {
        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @ApplicationScoped
    static class Migration {
        void number(
                @Observes @Initialized(ApplicationScoped.class) @Priority(1) Object event,
                @Any Instance<Snowflake> generators) {
            generators.select(Default.Literal.INSTANCE).get().nextId();
        }
    }

    // the generator that was looked up kept its worker id for as long as the process lived
    @Test
    void givesBackWhatAnEarlierObserverLookedUpIfAClaimFails() {
        RecordingCoordinatorProvider.incompleteAfterAClaim = true;

        assertThatThrownBy(() -> Application.of(OrderShop.class, Migration.class))
                .hasStackTraceContaining("org/client/Missing");

        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }
}
