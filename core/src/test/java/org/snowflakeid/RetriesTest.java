// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** How often a coordinator in trouble is asked (rule 29), and that nothing that calls wait for has to wait for that. */
class RetriesTest {

    private final CoordinatorException unreachable = new CoordinatorException("is not reachable", false);
    private final CoordinatorException refused = new CoordinatorException("refuses the login", true).withLoginRefused();

    private final VirtualWorld world = new VirtualWorld(1);
    private final FakeStore store = new FakeStore(world);
    private final VirtualWorld.Machine process = world.new Machine();
    private final Map<String, String> keys = new HashMap<>();

    /** What each call ends with, at once; null: it is carried out. */
    private @Nullable CoordinatorException failure;

    /** When calls came that ended so. */
    private final List<Instant> failed = new ArrayList<>();

    private Runnable hint = () -> {};
    private @Nullable LeasedSnowflake ids;

    private final WorkerCoordinatorProvider failing = new WorkerCoordinatorProvider() {
        @Override
        public String name() {
            return store.name();
        }

        @Override
        public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
            hint = lossHint;
            return new Failing(store.open(config, lossHint));
        }
    };

    private final class Failing extends ForwardingCoordinator {

        Failing(WorkerCoordinator coordinator) {
            super(coordinator);
        }

        @Override
        protected <T> T call(Supplier<T> operation) {
            CoordinatorException now = failure;
            if (now != null) {
                failed.add(world.trueTime());
                throw now;
            }
            return operation.get();
        }

        @Override
        public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
            return call(() -> forwarded().extendAll(extensions, meta, timeout));
        }
    }

    /** With a whole window, which is extended in a moment. */
    private void openAndWait() {
        ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), failing, process);
        seconds(60);
        Instant end = reserved();
        while (reserved().equals(end)) {
            world.sleep(Duration.ofMillis(10));
        }
    }

    private Instant reserved() {
        return ids.status().reservedUntil().orElseThrow();
    }

    private Duration left() {
        return Duration.between(world.trueTime(), reserved());
    }

    @AfterEach
    void close() {
        if (ids != null) {
            failure = null;
            ids.close();
        }
    }

    private void seconds(long seconds) {
        world.sleep(Duration.ofSeconds(seconds));
    }

    private void fail(CoordinatorException by) {
        failure = by;
        failed.clear();
        while (failed.isEmpty()) {
            world.sleep(Duration.ofMillis(10));
        }
    }

    private List<Duration> pauses() {
        List<Duration> pauses = new ArrayList<>();
        for (int i = 1; i < failed.size(); i++) {
            pauses.add(Duration.between(failed.get(i - 1), failed.get(i)));
        }
        return pauses;
    }

    // the pause never exceeded a second
    @Test
    void pausesGrowWhileMoreThanHalfOfTheWindowIsLeft() {
        keys.put("snowflake.window", "PT10M");
        openAndWait();
        seconds(60 * 10);
        fail(unreachable);

        while (left().toSeconds() > 5 * 60) {
            seconds(1);
        }

        assertThat(left()).isGreaterThan(Duration.ofSeconds(290));
        assertThat(pauses()).allMatch(pause -> pause.toSeconds() <= 60);
        assertThat(pauses()).anyMatch(pause -> pause.toSeconds() >= 25);
        assertThat(failed).hasSizeLessThan(20);
    }

    @Test
    void pausesGrowToASixthOfTheWindow() {
        openAndWait();
        fail(unreachable);

        while (left().toSeconds() > 30) {
            seconds(1);
        }

        assertThat(failed).hasSizeLessThan(8);
        assertThat(pauses()).allMatch(pause -> pause.toSeconds() <= 10);
    }

    @Test
    void idsComeASecondAfterAnOutageInWhichTheyStopped() {
        openAndWait();
        fail(unreachable);
        while (left().toSeconds() > 28) {
            seconds(1);
        }
        failed.clear();
        seconds(60);
        assertThat(pauses()).allMatch(pause -> pause.toMillis() <= 1010);

        failure = null;
        world.sleep(Duration.ofMillis(1100));

        assertThat(ids.nextId()).isPositive();
    }

    // alerts that look for errors saw none, however long there were no ids
    @Test
    void anOutageIsAnErrorOnceWhenIdsStop() {
        openAndWait();
        try (LogLines log = new LogLines()) {
            fail(unreachable);
            seconds(25);
            assertThat(log.errors()).isEmpty();

            seconds(100);
            assertThat(log.errors()).singleElement().asString().contains("what was reserved is used up, no ids: ");
        }
    }

    @Test
    void aHintThatTheCoordinatorIsBackEndsThePause() {
        openAndWait();
        fail(unreachable);
        seconds(4);

        failure = null;
        hint.run();
        Duration before = left();
        world.sleep(Duration.ofMillis(50));

        assertThat(left()).isGreaterThan(before);
    }

    // what has stepped in a long pause may not be judged only after it
    @Test
    void callsThatWaitEndThePauseAfterASecond() {
        keys.put("snowflake.window", "PT10M");
        openAndWait();
        seconds(60 * 10);
        fail(unreachable);
        seconds(30);
        failure = null;

        process.stepClock(Duration.ofSeconds(5));
        Instant asked = world.trueTime();
        ids.nextId();

        assertThat(Duration.between(asked, world.trueTime())).isLessThan(Duration.ofMillis(1200));
        assertThat(ids.status().lastError()).isEmpty();
    }

    @Test
    void whatAServerAsksForIsKept() {
        openAndWait();
        fail(unreachable.withRetryAfter(Duration.ofSeconds(7)));

        seconds(20);

        assertThat(pauses()).isNotEmpty().allMatch(pause -> pause.toMillis() >= 7000 && pause.toMillis() <= 8000);
    }

    @Test
    void aServerMayHaveHalfOfWhatIsLeft() {
        openAndWait();
        fail(unreachable.withRetryAfter(Duration.ofDays(1_000_000)));
        Duration left = left();

        seconds(31);

        assertThat(pauses().get(0))
                .isBetween(left.dividedBy(2).minusMillis(10), left.dividedBy(2).plusSeconds(3));
    }

    // a call that waited for the clock to be vetted had the coordinator asked at once
    @Test
    void callsWithoutIdsDoNotMakeItAskedMoreThanEachSecond() {
        openAndWait();
        failure = unreachable;
        process.stepClock(Duration.ofSeconds(30));
        Instant begun = world.trueTime();

        while (Duration.between(begun, world.trueTime()).toSeconds() < 60) {
            assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeException.class);
            world.sleep(Duration.ofMillis(10));
        }

        // Once for the clock and once for the window.
        assertThat(failed).hasSizeLessThan(2 * 80);
        process.restoreClock();
    }

    // 167 logins in 20 s
    @Test
    void aRefusedLoginIsTriedAgainAfterTenSeconds() {
        openAndWait();
        fail(refused);

        for (int i = 0; i < 120; i++) {
            seconds(1);
            hint.run();
        }

        assertThat(failed).hasSizeBetween(9, 12);
        assertThat(pauses()).allMatch(pause -> pause.toMillis() >= 10_000);
        failure = null;
        seconds(12);
        assertThat(ids.nextId()).isPositive();
    }

    // each call that waited for the clock to be vetted logged in
    @Test
    void norDoCallsWithoutIdsMakeItTriedSooner() {
        openAndWait();
        fail(refused);
        seconds(70);
        process.stepClock(Duration.ofSeconds(70));

        failed.clear();
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeException.class);
            world.sleep(Duration.ofMillis(300));
        }

        assertThat(pauses()).isNotEmpty().allMatch(pause -> pause.toMillis() >= 10_000);
        process.restoreClock();
    }

    @Test
    void aGeneratorThatIsClosedMeanwhileGivesItsWorkerIdBackAtOnce() {
        openAndWait();
        int workerId = ids.status().workerId().orElseThrow();
        fail(refused);
        failure = null;
        Instant asked = world.trueTime();

        ids.close();

        assertThat(Duration.between(asked, world.trueTime())).isLessThan(Duration.ofMillis(100));
        assertThat(store.owner(workerId)).isNull();
        ids = null;
    }

    @Test
    void aStartFindsACoordinatorASecondAfterItIsThere() {
        failure = unreachable;
        Instant[] opened = {world.trueTime()};
        Thread unused = process.start("open", () -> {
            ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.of()), failing, process);
            opened[0] = world.trueTime();
        });
        seconds(40);

        failure = null;
        Instant there = world.trueTime();
        seconds(3);

        assertThat(ids).isNotNull();
        assertThat(Duration.between(there, opened[0])).isLessThan(Duration.ofMillis(1200));
    }

    // "Self-suppression not permitted" ended the look at what became of the claim, and nothing was let go
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimThatIsRefusedTheLoginIsLetGo(boolean permanent) {
        Stage stage = Stage.ofDefaults(1);
        Stage.Actor start = stage.process();
        start.wire.throwInsteadOf(
                Wire.Kind.CLAIM, 1, new CoordinatorException("refuses the login", permanent).withLoginRefused());
        try (LogLines log = new LogLines()) {
            start.startOpening();
            stage.until("decided", start::isDecided);

            assertThat(log.all()).noneMatch(line -> line.contains("unexpected failure"));
        }
        assertThat(start.wire.abandoned).hasSize(1);
        assertThat(start.isOpen()).isNotEqualTo(permanent);
    }
}
