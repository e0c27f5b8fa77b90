// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.inject.Inject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** As {@link FailedStartTest}, where the portable extension is the only one that can learn of it. Quarkus ends what it has begun. */
class FailedStartupTest {

    @BeforeEach
    void forgetEarlierTests() {
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
}
