// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Alternative;
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

    @Dependent
    static class User {
        @Inject
        Snowflake ids;
    }

    @Test
    void anAlternativeTakesTheGeneratorsPlaceAndNothingIsClaimed() {
        // Not even its settings matter.
        try (Application application =
                Application.with("snowflake.window=long").of(User.class, Counter.class)) {
            assertThat(application.get(User.class).ids.nextId()).isEqualTo(1);
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }
}
