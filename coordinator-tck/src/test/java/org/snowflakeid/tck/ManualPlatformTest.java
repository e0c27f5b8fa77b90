// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ManualPlatformTest {

    private final ManualPlatform platform = new ManualPlatform();
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Test
    void timeStandsStillUntilItIsMoved() {
        long nanos = platform.nanoTime();
        assertThat(platform.now()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));

        platform.advance(Duration.ofSeconds(2));

        assertThat(platform.nanoTime() - nanos).isEqualTo(2_000_000_000L);
        assertThat(platform.now()).isEqualTo(Instant.parse("2026-01-01T00:00:02Z"));
    }

    @Test
    void theWallClockCanBeSetApart() {
        long nanos = platform.nanoTime();

        platform.stepWallClock(Duration.ofSeconds(-10));
        platform.advanceWithoutWallClock(Duration.ofSeconds(5));

        assertThat(platform.now()).isEqualTo(Instant.parse("2025-12-31T23:59:50Z"));
        assertThat(platform.nanoTime() - nanos).isEqualTo(5_000_000_000L);
    }

    @Test
    void wakesThreadsInTheOrderOfTheirTimesOverAndOver() {
        sleeper("a", 300);
        sleeper("b", 400);

        platform.advance(Duration.ofSeconds(1));

        assertThat(events).containsExactly("a at 300", "b at 400", "a at 600", "b at 800", "a at 900");
    }

    private void sleeper(String name, int millis) {
        long start = platform.wallMillis();
        platform.start(name, () -> {
            while (true) {
                platform.park(millis * 1_000_000L);
                events.add(name + " at " + (platform.wallMillis() - start));
            }
        });
    }

    @Test
    void unparkEndsTheNextPark() {
        Thread thread = platform.start("waiting", () -> {
            platform.park(Long.MAX_VALUE);
            events.add("awake");
        });

        platform.unpark(thread);
        platform.advance(Duration.ofMillis(1));

        assertThat(events).containsExactly("awake");
    }

    @Test
    void anInterruptEndsParkAndStays() throws Exception {
        Thread thread = platform.start("waiting", () -> {
            platform.park(Long.MAX_VALUE);
            events.add("interrupted: " + Thread.currentThread().isInterrupted());
        });

        thread.interrupt();
        thread.join(10_000);

        assertThat(events).containsExactly("interrupted: true");
    }

    @Test
    void timeMovesByItselfWhileACallerWaits() {
        platform.callersMoveTime();
        sleeper("a", 300);
        long start = platform.wallMillis();

        platform.park(1_000_000_000);

        assertThat(platform.wallMillis() - start).isEqualTo(1000);
        assertThat(events).containsExactly("a at 300", "a at 600", "a at 900");
    }

    @Test
    void waitsForTheNextMillisecond() {
        platform.callersMoveTime();
        platform.advance(Duration.ofNanos(300));

        platform.awaitNextMillis();

        assertThat(platform.now()).isEqualTo(Instant.parse("2026-01-01T00:00:00.001Z"));
    }
}
