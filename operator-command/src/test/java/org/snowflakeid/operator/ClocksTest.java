// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.records.NamespaceState;

class ClocksTest {

    private static final Instant ANSWERED = Instant.parse("2026-03-01T03:00:03Z");

    private static Clocks clocks(Duration call, @Nullable Instant there) {
        NamespaceReport report = new NamespaceReport(
                "etcd",
                "",
                "snowflake",
                NamespaceState.ABSENT,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.ofNullable(there),
                ANSWERED,
                List.of());
        return Clocks.of(report, ANSWERED.minus(call));
    }

    @Test
    void oneClockReadAtBothEndsOfALongCallAgreesWithItself() {
        Duration call = Duration.ofSeconds(3);

        for (Instant there : List.of(ANSWERED, ANSWERED.minus(call), ANSWERED.minusSeconds(1))) {
            assertThat(clocks(call, there).agree()).contains(true);
            assertThat(clocks(call, there).inWords())
                    .isEqualTo("here 2026-03-01T03:00:03Z, the coordinator's agrees (to 2.5 s)");
        }
    }

    @Test
    void clocksThatDifferAreShownAsOfOneMoment() {
        assertThat(clocks(Duration.ofMillis(200), ANSWERED.plusSeconds(9)).inWords())
                .isEqualTo("here 2026-03-01T03:00:03Z, coordinator 2026-03-01T03:00:12.100Z: 9.1 s ahead (to 1.1 s)."
                        + " One of them is wrong");
        assertThat(clocks(Duration.ofSeconds(4), ANSWERED.minusSeconds(20)).inWords())
                .endsWith("coordinator 2026-03-01T02:59:45Z: 18.0 s behind (to 3.0 s). One of them is wrong");
    }

    @Test
    void aCoordinatorWithoutAClockIsSaidToHaveNone() {
        assertThat(clocks(Duration.ZERO, null).agree()).isEmpty();
        assertThat(clocks(Duration.ZERO, null).inWords()).contains("reports no time");
    }

    @Test
    void aClockThatWasSetBackDuringTheCallIsNoLongCall() {
        assertThat(clocks(Duration.ofSeconds(-3), ANSWERED).agree()).contains(true);
    }
}
