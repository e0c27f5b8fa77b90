// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeLayout;

class IdLayoutTest {

    /** Ids that these generators issued at that time, with that worker id. */
    @ParameterizedTest
    @CsvSource({
        "hutool, 2126250835435970560, 2026-11-27T09:44:37.655Z, 158, 0",
        "leaf, 2126250835435970560, 2026-11-27T09:44:37.655Z, 158, 0",
        "twitter, 2126250835435970560, 2026-11-27T09:44:37.655Z, 158, 0",
        "tsid, 914089324191196304, 2026-11-27T09:44:37.845Z, 586, 1168",
        "yitter, 875054188011846, 2026-11-27T09:44:38.370Z, 5, 6",
        "seata, 63899649094594561, 2026-11-27T09:44:38.371Z, 7, 1",
        "cosid, 916746837786898435, 2026-11-27T09:44:38.461Z, 3, 3"
    })
    void readsTheIdsOfOthers(String name, long id, Instant at, int workerId, int sequence) {
        SeenId seen = SeenId.of(id, 1, IdLayout.parse(name));

        assertThat(Instant.ofEpochMilli(seen.millis())).isEqualTo(at);
        assertThat(seen.workerId()).isEqualTo(workerId);
        assertThat(seen.sequence()).isEqualTo(sequence);
    }

    @Test
    void readsOurs() {
        Instant at = Instant.parse("2026-11-21T05:36:40.003Z");
        long id = SnowflakeLayout.STANDARD.encode(new IdParts(at, 960, 7));

        assertThat(SeenId.of(id, 1, IdLayout.parse("snowflake")))
                .isEqualTo(new SeenId(id, 1, at.toEpochMilli(), id >> 22, 960, 7));
    }

    @Test
    void readsSecondsSinceAnyEpoch() {
        IdLayout shanghai = IdLayout.parse("2016-05-19T16:00:00Z,22,13,PT1S");

        assertThat(shanghai.timestampOf(0)).isEqualTo(Instant.parse("2016-05-19T16:00:00Z"));
        assertThat(shanghai.timestampOf(3L << 35)).isEqualTo(Instant.parse("2016-05-19T16:00:03Z"));
        assertThat(shanghai.timestamp().count()).isEqualTo(28);
        // The last second of this generator's 28 bits, after which its ids were negative.
        assertThat(IdLayout.parse("uid-generator").timestampOf(Long.MAX_VALUE))
                .isEqualTo(Instant.parse("2024-11-20T21:24:15Z"));
        assertThat(IdLayout.parse("uid-generator").unit()).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "snowflakes | 'snowflakes' is no layout. Write one of snowflake, twitter",
                "2020-01-01,10,12 | 'Text '2020-01-01' could not be parsed",
                "2020-01-01T00:00:00Z,10 | is no layout. Write one of",
                "2020-01-01T00:00:00Z,10,25 | 25 bits are not between 1 and 24",
                "2020-01-01T00:00:00Z,ten,12 | \"ten\"",
                "2020-01-01T00:00:00Z,10,12,PT0.0001S | is not a whole number of milliseconds",
                "2020-01-01T00:00:00Z,10,12,PT0.0015S | is not a whole number of milliseconds",
                "2020-01-01T00:00:00Z,10,12,PT-1S | is not a whole number of milliseconds",
                "2020-01-01T00:00:00Z,10,12,PT9000000000000000000S | reach beyond all dates",
                "2020-01-01T00:00:00Z,1,1,PT1H | reach beyond all dates"
            })
    void refusesWhatIsNone(String text, String part) {
        assertThatThrownBy(() -> IdLayout.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(part.replaceFirst("^'Text", "Text"))
                .hasMessageContaining("or EPOCH,WORKER_ID_BITS,SEQUENCE_BITS");
    }
}
