// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
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
}
