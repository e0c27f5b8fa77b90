// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.claim.SlotChoice;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;

class SlotChoiceTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    private static final String OWNER = "token=a host=elsewhere pid=1 since=2026-03-01T09:00:00Z process=another";

    private final SlotChoice choice = new SlotChoice(
            SnowflakeLayout.STANDARD.tickOf(NOW.toEpochMilli()),
            10_000,
            Duration.ofHours(1).toMillis(),
            Platform.system());

    private String describe(Duration reservedAhead) {
        long limit = SnowflakeLayout.STANDARD.tickOf(NOW.plus(reservedAhead).toEpochMilli());
        Mark mark = Mark.next(RecordLine.NONE, limit, "a", 1, 0, NOW, SnowflakeLayout.STANDARD, 1);
        return choice.describe(List.of(new Slot(7, new Stored(mark.value(), 0), OWNER)));
    }

    // with windows of an hour a right clock reserves this far ahead
    @Test
    void doesNotCallAClockWrongForWhatItsWindowReserves() {
        assertThat(describe(Duration.ofHours(1).plusSeconds(9)))
                .startsWith("1 of 1 worker ids are held (one of them by");
    }

    @Test
    void saysThatAClockWasWrong() {
        assertThat(describe(Duration.ofHours(2).plusSeconds(1)))
                .isEqualTo(
                        "0 of 1 worker ids are held, 1 are reserved more than an hour ahead, by a process whose clock was"
                                + " wrong (if all are: move the namespace to a layout with one more bit of worker ids, see "
                                + "\"Reserved far ahead\" in the runbook)");
    }
}
