// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.inject.Inject;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.FailedStartupTest.Shop;

/** A process that tries again and again to start what fails after its claim. */
class FailedAgainTest {

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    /** A start that works takes with it what the last one left. */
    @AfterEach
    void leaveNothing() {
        Application.of(Shop.class).close();
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    private static void fail(String namespace) {
        assertThatThrownBy(() -> Application.with("snowflake.namespace=" + namespace)
                        .of(Shop.class, FailedStartupTest.LateServer.class))
                .hasStackTraceContaining("org/driver/Missing");
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter("snowflake-default"::equals)
                .toList();
    }

    // each left a generator and its thread
    @Test
    void leavesNothingOfAllStartsBeforeTheLast() {
        int before = threads().size();

        for (int attempt = 1; attempt <= 3; attempt++) {
            fail("attempt-" + attempt);
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .contains("released attempt-1", "released attempt-2", "claimed attempt-3");
        assertThat(threads().size()).isLessThanOrEqualTo(before + 1);
    }

    @Test
    void leavesNothingOnceAStartSucceeds() {
        fail("failed");

        try (Application application =
                Application.with("snowflake.namespace=working").of(Shop.class)) {
            assertThat(RecordingCoordinatorProvider.JOURNAL)
                    .containsExactlyInAnyOrder("claimed failed", "released failed", "claimed working");
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
    }

    @ApplicationScoped
    static class EarlyUser {
        @Inject
        Snowflake ids;

        void begin(@Observes @Priority(1) @Initialized(ApplicationScoped.class) Object event) {
            assertThat(ids.nextId()).isPositive();
        }
    }

    // what was opened before our own observer was taken for the failed start's, and closed
    @Test
    void keepsWhatAnObserverOfTheNextStartOpensFirst() {
        fail("failed");

        try (Application application = Application.of(Shop.class, EarlyUser.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
    }

    @ApplicationScoped
    static class EarlyServer {
        void open(@Observes @Initialized(ApplicationScoped.class) Object event) {
            throw new IllegalStateException("the port is in use");
        }
    }

    @ApplicationScoped
    static class Nesting {
        void open(@Observes Startup event) {
            assertThatThrownBy(() -> Application.of(EarlyServer.class)).hasStackTraceContaining("the port is in use");
        }
    }

    @Test
    void keepsAStartInWhichAnotherFails() {
        try (Application application =
                Application.with("snowflake.namespace=outer").of(Shop.class, Nesting.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
            assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed outer");
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed outer", "released outer");
    }
}
