// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeEvent.Lost;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** A generator of several worker ids is one thing: it starts as a whole or not at all, and has one listener. */
class SeveralWorkerIdsTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();

    private static List<Throwable> causes(Throwable thrown) {
        return Stream.iterate(thrown, cause -> cause != null, Throwable::getCause)
                .toList();
    }

    private void assertThatNothingGoesOn() {
        stage.sleep(Duration.ofMinutes(1));
        int writes = stage.store.writes;
        stage.sleep(Duration.ofMinutes(5));
        assertThat(stage.store.writes)
                .as("writes of a generator that did not start")
                .isEqualTo(writes);
        assertThat(process.wire.connections()).isZero();
        assertThat(stage.store.owners).isEmpty();
        stage.assertSafe();
    }

    // each extension of 64 counted as failed, and 28 of them were not given back at the end
    @Test
    void manyAreExtendedAndGivenBackByACoordinatorThatTakesThemOneByOne() {
        stage.keys.put("snowflake.workers", "64");
        process.open();
        process.wire.latency = Duration.ofMillis(60);
        try (LogLines log = new LogLines()) {
            process.issueFor(Duration.ofMinutes(5));
            process.close();

            assertThat(log.all()).noneMatch(line -> line.contains("extension failed"));
            assertThat(log.all())
                    .filteredOn(line -> line.contains("released worker id"))
                    .hasSize(64);
        }
        assertThat(stage.store.owners).isEmpty();
        stage.assertSafe();
    }

    @Test
    void manyDoNotKeepACloseWaitingForACoordinatorThatIsGone() {
        stage.keys.put("snowflake.workers", "64");
        process.open();
        process.wire.cut = true;
        Instant begun = stage.world.trueTime();

        process.close();

        assertThat(Duration.between(begun, stage.world.trueTime())).isLessThan(Duration.ofSeconds(12));
        stage.until("its thread has ended", () -> process.threads.isEmpty());
        assertThat(Duration.between(begun, stage.world.trueTime())).isLessThan(Duration.ofSeconds(30));
        stage.assertSafe();
    }

    // open() failed, and two keepers went on extending for ever
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aThreadThatCannotBeMadeLeavesNothingBehind(int number) {
        stage.keys.put("snowflake.workers", "4");
        OutOfMemoryError noThread = new OutOfMemoryError("unable to create native thread");
        int[] made = {0};
        process.beforeThread = name -> {
            if (++made[0] == number) {
                throw noThread;
            }
        };

        process.startOpening();
        stage.within(Duration.ofSeconds(96), "open returns", process::isDecided);

        if (process.isOpen()) {
            // The next start needs fewer threads.
            assertThat(made[0]).isLessThan(number);
            assertThat(process.ids().status().workerIds()).hasSize(4);
            process.issueFor(Duration.ofMinutes(2));
        } else {
            assertThat(causes(process.awaitRefusal())).contains(noThread);
            assertThatNothingGoesOn();
        }
    }

    // connections that had been opened stayed open
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aConnectionThatCannotBeOpenedLeavesNothingBehind(int number) {
        stage.keys.put("snowflake.workers", "4");
        IllegalStateException noConnection = new IllegalStateException("no connection");
        WorkerCoordinatorProvider provider = new WorkerCoordinatorProvider() {
            private int opened;

            @Override
            public String name() {
                return process.wire.name();
            }

            @Override
            public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                if (++opened == number) {
                    throw noConnection;
                }
                return process.wire.open(config, lossHint);
            }
        };
        List<LeasedSnowflake> opened = new ArrayList<>();

        Throwable thrown = catchThrowable(() ->
                opened.add(LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(stage.keys)), provider, process)));

        if (thrown != null) {
            assertThat(causes(thrown)).contains(noConnection);
            assertThatNothingGoesOn();
        } else {
            // The next start needs fewer connections.
            assertThat(process.wire.connections()).isLessThan(number);
            assertThat(opened.get(0).status().workerIds()).hasSize(4);
        }
    }

    // calls slept until the extension of the worker id they had begun to wait for, while another one had ids again
    @Test
    void callsThatWaitGetIdsOfWhicheverWorkerIdHasThemFirst() {
        stage.keys.put("snowflake.workers", "2");
        stage.keys.put("snowflake.wait-timeout", "PT60S");
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.cut = true;
        stage.until("used up", () -> process.ids().status().state() == State.SUSPENDED);
        List<Actor.Call> calls = Stream.generate(process::startCall).limit(4).toList();
        stage.sleep(Duration.ofSeconds(3));
        assertThat(calls).noneMatch(Actor.Call::isOver);

        process.wire.hold(Kind.EXTEND);
        process.wire.cut = false;
        Request first = process.wire.next();
        first.answer(first.arrive());
        process.wire.next().lose();

        stage.within(Duration.ofMillis(50), "ids", () -> calls.stream().allMatch(Actor.Call::isOver));
        calls.forEach(Actor.Call::await);
        process.wire.release(Kind.EXTEND);
        stage.assertSafe();
    }

    /** By another process. */
    private void reserve(int workerId, long limit) {
        stage.store.putMark(
                workerId,
                Mark.next(
                                RecordLine.NONE,
                                limit,
                                "another",
                                0,
                                limit - 1,
                                stage.world.trueTime(),
                                SnowflakeLayout.STANDARD,
                                1)
                        .value());
    }

    // where a coordinator hardly answers, the extension of all others waited for it
    @Test
    void whatIsLeftIsGivenBackOnceTheOthersAreExtended() {
        stage.keys.put("snowflake.workers", "2");
        stage.keys.put("snowflake.worker-ids", "0-2");
        process.open();
        stage.sleep(Duration.ofMinutes(1));
        int lost = process.ids().status().workerIds().get(0);
        int kept = process.ids().status().workerIds().get(1);
        int free = 3 - lost - kept;
        long now = stage.store.mark(kept).limit() - 60_000;
        reserve(free, now + 50_000);
        reserve(lost, now + 3_600_000);
        stage.until("reserved ahead", () -> !stage.store.mark(free).token().equals("another"));
        process.wire.hold(Kind.ABANDON);
        long limit = stage.store.mark(kept).limit();

        process.machine.pause(Duration.ofSeconds(55));
        stage.sleep(Duration.ofSeconds(56));

        assertThat(process.ids().status().workerIds()).containsExactlyInAnyOrder(kept, free);
        assertThat(stage.store.mark(kept).limit()).isGreaterThan(limit);
        stage.within(Duration.ofSeconds(10), "given back", () -> process.wire.abandoned.contains(lost));
        process.issueFor(Duration.ofMinutes(1));
    }

    // each extension of the other worker id reported that ids had ended and then that they were issued again
    @Test
    void theGeneratorDoesNotReportTheEndOfIdsWhileAnotherWorkerIdHasThem() {
        stage.keys.put("snowflake.workers", "2");
        stage.keys.put("snowflake.worker-ids", "0-1");
        process.open();
        stage.sleep(Duration.ofMinutes(1));
        Mark mine = stage.store.mark(0);
        try (LogLines log = new LogLines()) {
            reserve(0, mine.limit() + 3_600_000);

            process.issueFor(Duration.ofMinutes(5));

            assertThat(log.all()).anyMatch(line -> line.contains("no other worker id"));
            assertThat(log.all()).noneMatch(line -> line.contains("no ids") || line.contains("ids again"));
        }
    }

    @Test
    void itsOwnWorkerIdIsNoOtherOneThoughItsOwnerEntryIsGone() {
        stage.keys.put("snowflake.worker-ids", "0");
        // Time has passed that this process did not see. A coordinator that told the time would show that none has.
        stage.store.tellsTime = false;
        process.open();
        String claim = stage.store.mark(0).token();
        process.wire.hold(Kind.EXTEND);
        process.machine.stepClock(Duration.ofSeconds(5));
        Request write = process.wire.next();
        stage.store.expireOwners();
        process.wire.release(Kind.EXTEND);

        write.answer(write.arrive());
        stage.until("owned again", () -> stage.store.owner(0) != null);

        assertThat(stage.store.mark(0).token()).isEqualTo(claim);
        // The ids begin above what a copy could be using.
        stage.sleep(Duration.ofSeconds(15));
        process.issueFor(Duration.ofMinutes(1));
        stage.assertSafe();
    }

    // the generator left what it had just claimed, each time that a call for another worker id failed
    @Test
    void whatWasLeftForACopyIsLeftOnce() {
        stage.keys.put("snowflake.workers", "2");
        process.open();
        stage.sleep(Duration.ofMinutes(2));
        process.wire.hold(Kind.CLAIM);
        process.machine.stepClock(Duration.ofSeconds(5));
        Actor.Call call = process.startCall();
        Request claim = process.wire.next();
        process.wire.throwInsteadOf(Kind.READ, 1, new CoordinatorException("planted", false));
        claim.answer(claim.arrive());
        process.wire.release(Kind.CLAIM);
        // and not before the next look at the clock was due by itself
        stage.within(Duration.ofSeconds(1), "an id", call::isOver);
        call.await();

        assertThat(process.ids().status().workerIds()).contains(claim.workerId);
        assertThat(process.ids().counts().swaps()).isEqualTo(2);
        process.issueFor(Duration.ofMinutes(1));
        stage.assertSafe();
    }

    // the keeper looked a thousand times a second whether both could begin
    @Test
    void aStartThatWaitsForOneOfThemSleeps() {
        stage.keys.put("snowflake.workers", "2");
        stage.keys.put("snowflake.worker-ids", "0-1");
        process.open();
        process.close();
        SnowflakeLayout layout = SnowflakeLayout.STANDARD;
        reserve(1, layout.tickOf(stage.world.trueTime().plusSeconds(50).toEpochMilli()));
        process.startOpening();
        stage.sleep(Duration.ofSeconds(5));
        int[] looks = {0};
        Actor.Stop unused = process.stopKeeperAtClock(() -> {
            looks[0]++;
            return false;
        });

        stage.sleep(Duration.ofSeconds(5));

        assertThat(process.isDecided()).isFalse();
        assertThat(looks[0]).isLessThan(100);
        process.awaitOpen();
    }

    // eight threads called one listener at once
    @Test
    void aListenerIsCalledByOneThreadAtATime() {
        stage.keys.put("snowflake.workers", "8");
        List<SnowflakeEvent> heard = new ArrayList<>();
        int[] inside = {0};
        int[] most = {0};
        process.listener = event -> {
            inside[0]++;
            most[0] = Math.max(most[0], inside[0]);
            stage.sleep(Duration.ofMillis(100));
            heard.add(event);
            inside[0]--;
        };
        process.open();
        stage.sleep(Duration.ofMinutes(2));

        stage.store.expireOwners();
        stage.store.hintLoss();
        stage.sleep(Duration.ofMinutes(1));

        assertThat(heard.stream().filter(Lost.class::isInstance).map(SnowflakeEvent::workerId))
                .containsExactlyInAnyOrderElementsOf(process.ids().status().workerIds());
        assertThat(most[0]).isEqualTo(1);
        stage.assertSafe();
    }
}
