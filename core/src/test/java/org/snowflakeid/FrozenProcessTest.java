// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;

/** A process that stood still for longer than its window, and goes on: it could neither extend the window nor notice its end. */
class FrozenProcessTest {

    private Stage stage = Stage.ofDefaults(1);

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private Actor open(long seed) {
        stage = Stage.ofDefaults(seed);
        Actor process = stage.process();
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        return process;
    }

    /** A call that begins the moment the process goes on; the seed decides whether it or the keeper runs first. */
    private Actor.Call callAfterAFreeze(Actor process, Duration freeze) {
        Actor.Call call = process.startCallAfter(Duration.ofMillis(10));
        stage.sleep(Duration.ofMillis(1));
        process.machine.pause(freeze);
        stage.sleep(freeze);
        return call;
    }

    // a call failed at once: "the coordinator has not answered yet", though it had not been asked
    @ParameterizedTest
    @CsvSource({"1, 61", "2, 61", "3, 90", "4, 90", "5, 600", "6, 86400"})
    void callsWaitForTheExtension(long seed, long seconds) {
        Actor process = open(seed);

        Actor.Call call = callAfterAFreeze(process, Duration.ofSeconds(seconds));

        Instant resumed = stage.world.trueTime();
        call.await();
        assertThat(Duration.between(resumed, stage.world.trueTime())).isLessThan(Duration.ofMillis(100));
        process.issueFor(Duration.ofMinutes(2));
    }

    // a call that had waited before failed on waking: the freeze counted as waiting
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aCallThatWaitedBeforeGoesOnWaiting(long seed) {
        Actor process = open(seed);
        process.wire.cut = true;
        stage.until("suspended", () -> process.ids().status().state() == SnowflakeStatus.State.SUSPENDED);
        Actor.Call call = process.startCall();
        stage.sleep(Duration.ofMillis(500));
        assertThat(call.isOver()).isFalse();

        process.machine.pause(Duration.ofSeconds(90));
        stage.sleep(Duration.ofSeconds(60));
        process.wire.cut = false;

        call.await();
    }

    // the same with a coordinator that needs most of the wait-timeout
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void callsWaitForASlowExtensionToo(long seed) {
        Actor process = open(seed);
        process.wire.hold(Kind.EXTEND);

        Actor.Call call = callAfterAFreeze(process, Duration.ofSeconds(90));
        Request extension = process.wire.next();
        stage.sleep(Duration.ofMillis(1500));
        process.wire.release(Kind.EXTEND);
        extension.answer(extension.arrive());

        call.await();
    }

    // the generator dated its notice of a window's end seconds before it, where ids had begun ahead of the clock, and
    // calls failed at once
    @Test
    void callsWaitThoughTheIdsBeganAheadOfTheClock() {
        stage.keys.put("snowflake.worker-ids", "0");
        Actor predecessor = stage.process();
        predecessor.open();
        stage.sleep(Duration.ofSeconds(2));
        predecessor.crash();
        stage.store.owners.clear();
        stage.keys.put("snowflake.window", "PT3S");
        stage.keys.put("snowflake.startup-ahead", "PT1M");
        Actor process = stage.process();
        process.open();
        process.wire.cut = true;
        stage.sleep(Duration.ofSeconds(7));
        assertThat(process.issue().timestamp()).isAfter(stage.world.trueTime());

        Actor.Call call = callAfterAFreeze(process, Duration.ofSeconds(90));
        stage.sleep(Duration.ofMillis(100));
        process.wire.cut = false;

        call.await();
    }

    // the wait is bounded, counted from when the process could notice the end
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void callsFailAfterTheWaitTimeoutThenAtOnce(long seed) {
        Actor process = open(seed);
        process.wire.cut = true;

        Actor.Call call = callAfterAFreeze(process, Duration.ofSeconds(90));
        Instant resumed = stage.world.trueTime();

        assertThat(call.awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
        assertThat(Duration.between(resumed, stage.world.trueTime()))
                .isBetween(Duration.ofMillis(1900), Duration.ofMillis(2100));
        stage.sleep(Duration.ofSeconds(1));
        Actor.Call later = process.startCall();
        Instant asked = stage.world.trueTime();
        later.awaitFailure();
        assertThat(Duration.between(asked, stage.world.trueTime())).isLessThan(Duration.ofMillis(10));
    }
}
