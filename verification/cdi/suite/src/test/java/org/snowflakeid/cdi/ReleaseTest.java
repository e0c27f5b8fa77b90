// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;

class ReleaseTest {

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
        LastWords.lastId = 0;
    }

    @Dependent
    static class User {
        @Inject
        Snowflake ids;
    }

    @Test
    void givesTheWorkerIdBackOnceWhenTheApplicationEnds() {
        Snowflake ids;
        try (Application application = Application.of(User.class)) {
            ids = application.get(User.class).ids;
            assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake");
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
        assertThat(ids.status().state()).isEqualTo(State.CLOSED);
        assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);
    }

    @Test
    void claimsAnewForEachApplication() {
        long first;
        try (Application application = Application.of(User.class)) {
            first = application.get(User.class).ids.nextId();
        }
        try (Application application = Application.of(User.class)) {
            assertThat(application.get(User.class).ids.nextId()).isNotEqualTo(first);
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .containsExactly("claimed snowflake", "released snowflake", "claimed snowflake", "released snowflake");
    }

    @ApplicationScoped
    static class LastWords {
        static volatile long lastId;

        @Inject
        Snowflake ids;

        void use() {}

        @PreDestroy
        void end() {
            lastId = ids.nextId();
        }
    }

    @Test
    void issuesIdsWhileApplicationScopedBeansEnd() {
        try (Application application = Application.of(LastWords.class)) {
            application.get(LastWords.class).use();
        }

        assertThat(LastWords.lastId).isPositive();
        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }
}
