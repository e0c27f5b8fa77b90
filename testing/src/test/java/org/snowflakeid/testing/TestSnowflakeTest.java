// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;

class TestSnowflakeTest {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private final TestSnowflake ids = TestSnowflake.workerId(7).at(START);

    private IdParts next() {
        return ids.layout().decode(ids.nextId());
    }

    @Test
    void idsAreTheSameInEachRun() {
        assertThat(ids.nextId()).isEqualTo(815886080409628672L);
        assertThat(next()).isEqualTo(new IdParts(START, 7, 1));

        ids.advance(Duration.ofSeconds(1));

        assertThat(next()).isEqualTo(new IdParts(START.plusSeconds(1), 7, 0));
    }

    // their random bits differed
    @Test
    void uuidsAreTheSameInEachRun() {
        UUID first = ids.nextUuid();
        UUID second = ids.nextUuid();

        assertThat(first).hasToString("019ca8d7-2d00-7000-8000-700000000000");
        assertThat(second).hasToString("019ca8d7-2d00-7001-8000-700000000000");
        assertThat(ids.layout().decode(ids.layout().id(second))).isEqualTo(new IdParts(START, 7, 1));
    }

    @Test
    void timeLeapsYearsAtOnce() {
        ids.nextId();
        ids.advance(Duration.ofDays(3652));

        assertThat(next()).isEqualTo(new IdParts(START.plus(Duration.ofDays(3652)), 7, 0));
    }

    @Test
    void fractionsOfAMillisecondAddUp() {
        ids.advance(Duration.ofNanos(600_000)).nextId();
        ids.advance(Duration.ofNanos(600_000));

        assertThat(ids.now()).isEqualTo(START.plusNanos(1_200_000));
        assertThat(next()).isEqualTo(new IdParts(START.plusMillis(1), 7, 0));
    }

    @Test
    void aUsedUpMillisecondMovesTheClockOn() {
        long[] all = ids.nextIds(4097);

        assertThat(all).doesNotHaveDuplicates().isSorted();
        assertThat(ids.layout().decode(all[4095])).isEqualTo(new IdParts(START, 7, 4095));
        assertThat(ids.layout().decode(all[4096])).isEqualTo(new IdParts(START.plusMillis(1), 7, 0));
        assertThat(ids.now()).isEqualTo(START.plusMillis(1));
    }

    @Test
    void aClockSetBackALittleMovesOnToTheLastId() {
        ids.nextId();
        ids.advance(Duration.ofMillis(-500));

        assertThat(next()).isEqualTo(new IdParts(START, 7, 1));
        assertThat(ids.now()).isEqualTo(START);
    }

    @Test
    void aClockSetBackFurtherStopsIdsUntilItHasCaughtUp() {
        ids.nextId();
        ids.advance(Duration.ofMillis(-501));

        assertThatThrownBy(ids::nextId)
                .isInstanceOf(ClockMovedBackwardsException.class)
                .hasMessageContaining("501 ms behind the last id");

        ids.advance(Duration.ofMillis(501));
        assertThat(next()).isEqualTo(new IdParts(START, 7, 1));
    }

    @Test
    void aClockSetBackBeforeTheFirstIdIsJustSet() {
        Instant earlier = START.minus(Duration.ofDays(1000));
        ids.at(earlier);

        assertThat(next()).isEqualTo(new IdParts(earlier, 7, 0));
    }

    @Test
    void aRestartForgetsWhatWasIssued() {
        long first = ids.nextId();
        ids.advance(Duration.ofDays(1)).suspend();

        assertThat(ids.restartAt(START).nextId()).isEqualTo(first);
    }

    @Test
    void issuesNothingWhileSuspended() {
        ids.suspend();

        assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);
        assertThatThrownBy(() -> ids.nextIds(2)).isInstanceOf(SnowflakeUnavailableException.class);
        assertThat(ids.status().state()).isEqualTo(State.SUSPENDED);
        assertThat(ids.status().ready()).isFalse();

        ids.resume();
        assertThat(next()).isEqualTo(new IdParts(START, 7, 0));
        assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
        assertThat(ids.status().ready()).isTrue();
        assertThat(ids.status().workerId()).hasValue(7);
    }

    @Test
    void takesAnotherLayout() {
        SnowflakeLayout layout = new SnowflakeLayout(Instant.parse("2030-01-01T00:00:00Z"), 4, 1);
        TestSnowflake small = TestSnowflake.workerId(15, layout);

        assertThat(small.layout()).isEqualTo(layout);
        assertThat(small.nextIds(3)).containsExactly(0b11110, 0b11111, 0b111110);
        assertThatThrownBy(() -> TestSnowflake.workerId(16, layout))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16");
        assertThatThrownBy(() -> small.at(START)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesABatchOfNone() {
        assertThatThrownBy(() -> ids.nextIds(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ids.nextIds(1_000_001)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void threadsGetDifferentIds() throws Exception {
        Set<Long> all = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                runs.add(threads.submit(() -> {
                    for (int i = 0; i < 5_000; i++) {
                        all.add(ids.nextId());
                    }
                }));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(all).hasSize(20_000);
    }
}
