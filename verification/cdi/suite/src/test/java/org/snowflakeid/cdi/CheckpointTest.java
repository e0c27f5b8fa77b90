// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import org.crac.CheckpointException;
import org.crac.Core;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;

/** Generators of an application whose process is checkpointed, by a stand-in for a JDK that can. */
class CheckpointTest {

    @BeforeEach
    @AfterEach
    void forget() {
        RecordingCoordinatorProvider.JOURNAL.clear();
        RecordingCoordinatorProvider.keepsWorkerIds = false;
    }

    @Dependent
    static class User {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @Test
    void giveTheirWorkerIdsBackAndClaimAnew() throws Exception {
        try (Application application = Application.of(User.class)) {
            User user = application.get(User.class);
            long last = user.ids.nextId();
            // Nothing of ours but the generators has a reference to what was registered.
            System.gc();

            Core.checkpointRestore();

            assertThat(RecordingCoordinatorProvider.JOURNAL)
                    .containsExactlyInAnyOrder(
                            "claimed snowflake",
                            "claimed snowflake/orders",
                            "released snowflake",
                            "released snowflake/orders",
                            "claimed snowflake",
                            "claimed snowflake/orders");
            assertThat(user.ids.nextId()).isGreaterThan(last);
        }
    }

    @Test
    void refuseACheckpointWhereAWorkerIdIsNotGivenBack() {
        try (Application application = Application.of(User.class)) {
            User user = application.get(User.class);
            RecordingCoordinatorProvider.keepsWorkerIds = true;

            assertThatThrownBy(Core::checkpointRestore)
                    .isInstanceOf(CheckpointException.class)
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2).allSatisfy(each -> assertThat(each)
                            .hasMessageContaining("no checkpoint: recording did not confirm")));

            RecordingCoordinatorProvider.keepsWorkerIds = false;
            assertThat(user.ids.nextId()).isPositive();
            assertThat(user.orders.status().state()).isIn(State.ACTIVE, State.SUSPENDED);
        }
    }
}
