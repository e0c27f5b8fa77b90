// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.inject.Inject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** An application that fails to start, though its worker ids were claimed, in a process that goes on. */
class FailedStartTest {

    @BeforeEach
    @AfterEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.incompleteAfterAClaim = false;
        RecordingCoordinatorProvider.silentAfterAClaim = false;
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    private static long count(String entry) {
        return RecordingCoordinatorProvider.JOURNAL.stream()
                .filter(entry::equals)
                .count();
    }

    private static void assertThatNothingIsHeld() {
        assertThat(count("released snowflake")).isEqualTo(count("claimed snowflake"));
        assertThat(count("released snowflake/orders")).isEqualTo(count("claimed snowflake/orders"));
    }

    @ApplicationScoped
    static class FailingServer {
        void open(@Observes @Initialized(ApplicationScoped.class) Object event) {
            throw new IllegalStateException("the port is in use");
        }
    }

    @Test
    void givesWorkerIdsBackIfAnObserverOfTheStartFails() {
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> Application.of(Shop.class, FailingServer.class))
                    .hasStackTraceContaining("the port is in use");
        }

        assertThatNothingIsHeld();
    }

    @ApplicationScoped
    static class BrokenServer {
        @PostConstruct
        void connect() {
            throw new IllegalStateException("no database");
        }

        void open(@Observes @Initialized(ApplicationScoped.class) @Priority(9000) Object event) {}
    }

    @Test
    void givesWorkerIdsBackIfABeanThatObservesTheStartCannotBeMade() {
        assertThatThrownBy(() -> Application.of(Shop.class, BrokenServer.class)).hasStackTraceContaining("no database");

        assertThatNothingIsHeld();
    }

    @Test
    void givesWorkerIdsBackIfAnErrorFollowsTheirClaim() {
        Extension endless = new ThrowingObserver(new StackOverflowError("in the exporter"));

        assertThatThrownBy(() -> Application.with().extendedBy(endless).of(Shop.class))
                .hasStackTraceContaining("in the exporter");

        assertThat(count("claimed snowflake/orders")).isEqualTo(1);
        assertThatNothingIsHeld();
    }

    @Test
    void keepsNoGeneratorIfAnotherCannotEvenBeLoaded() {
        RecordingCoordinatorProvider.incompleteAfterAClaim = true;

        assertThatThrownBy(() -> Application.of(Shop.class)).hasStackTraceContaining("org/client/Missing");

        assertThat(count("claimed snowflake")).isEqualTo(1);
        assertThatNothingIsHeld();
    }

    // it ended as "DeploymentException: null"
    @Test
    void namesAFailureThatHasNoMessageByItsClass() {
        RecordingCoordinatorProvider.silentAfterAClaim = true;

        assertThatThrownBy(() -> Application.of(Shop.class))
                .hasStackTraceContaining("DeploymentException: java.lang.UnsupportedOperationException");

        assertThatNothingIsHeld();
    }
}
