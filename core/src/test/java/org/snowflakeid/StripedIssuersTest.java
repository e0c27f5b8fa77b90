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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Settings;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.ids.StripedIssuers;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.StatusView;
import org.snowflakeid.lease.VettedClock;

class StripedIssuersTest {

    /** In virtual time, against a coordinator. */
    @Nested
    class Leased {
        private final VirtualWorld world = new VirtualWorld(1);
        private final FakeStore store = new FakeStore(world);
        private final VirtualWorld.Machine process = world.new Machine();

        private LeasedSnowflake open(String... more) {
            Map<String, String> keys = new HashMap<>(Map.of("snowflake.workers", "2"));
            for (int i = 0; i < more.length; i += 2) {
                keys.put(more[i], more[i + 1]);
            }
            return LeasedSnowflake.open(SnowflakeSettings.of(keys), store, process);
        }

        @Test
        void holdsAsManyWorkerIdsAsAskedForAndGivesAllBack() {
            LeasedSnowflake ids = open("snowflake.worker-ids", "3-4");

            SnowflakeStatus status = ids.status();
            assertThat(status.workerIds()).containsExactlyInAnyOrder(3, 4);
            assertThat(status.state()).isEqualTo(SnowflakeStatus.State.ACTIVE);
            assertThat(store.owner(3)).isNotNull();
            assertThat(store.owner(4)).isNotNull();

            ids.close();
            assertThat(store.owner(3)).isNull();
            assertThat(store.owner(4)).isNull();
            assertThat(ids.status().state()).isEqualTo(SnowflakeStatus.State.CLOSED);
            assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);
        }

        @Test
        void doesNotStartWithFewerWorkerIdsThanAskedFor() {
            open("snowflake.workers", "1", "snowflake.worker-ids", "3");

            assertThatThrownBy(() -> open("snowflake.worker-ids", "3-4")).isInstanceOf(NoFreeWorkerIdException.class);
            assertThat(store.owner(4)).isNull();
        }

        @Test
        void issuesInAMillisecondWhatEachOfItsWorkerIdsHolds() throws Exception {
            LeasedSnowflake ids = open();
            world.sleep(Duration.ofMillis(1));
            Instant before = world.trueTime();

            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 4_000; i++) {
                all.add(ids.nextId());
            }
            CompletableFuture<List<Long>> others = new CompletableFuture<>();
            process.start("other", () -> {
                List<Long> theirs = new ArrayList<>();
                for (int i = 0; i < 4_000; i++) {
                    theirs.add(ids.nextId());
                }
                others.complete(theirs);
            });
            while (!others.isDone()) {
                world.sleep(Duration.ofNanos(1));
            }

            assertThat(others.get()).isSorted();
            all.addAll(others.get());
            assertThat(all).doesNotHaveDuplicates();
            assertThat(Duration.between(before, world.trueTime())).isLessThan(Duration.ofMillis(1));
        }

        @Test
        void refusesMoreThanThereAreToClaimFrom() {
            assertThatThrownBy(() -> open("snowflake.worker-ids", "3"))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("snowflake.workers=2 is more than the 1 worker ids to claim from");
            assertThatThrownBy(() -> open("snowflake.coordinator", "static", "snowflake.static.worker-id", "3"))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("snowflake.static.worker-id names one");
        }
    }

    /** Two worker ids, 3 and 7, of which the test takes one away and gives it back. The first thread to call has 3. */
    @Nested
    class OneLost {
        private final Settings settings = SnowflakeSettings.of(Map.of()).values();
        private final VettedClock clock = new VettedClock(Platform.system(), settings.layout(), 10_000);
        private final SharedState shared = new SharedState("test", Platform.system(), 2);
        private final StripedIssuers striped = new StripedIssuers(shared.leases().stream()
                .map(inUse -> new IdIssuer(settings, Platform.system(), clock, shared, inUse))
                .toList());

        @BeforeEach
        void lease() {
            lease(0, 3);
            lease(1, 7);
            shared.start();
        }

        private void lease(int place, int workerId) {
            long tick = SnowflakeLayout.STANDARD.tickOf(System.currentTimeMillis());
            Lease lease = new Lease(workerId, Long.MAX_VALUE);
            lease.grant(Long.MAX_VALUE, System.nanoTime() + TimeUnit.HOURS.toNanos(1), 60_000);
            lease.open(tick << 12, tick, 0, tick);
            shared.publish(shared.leases().get(place), lease);
            shared.wakeCallers();
        }

        private void skipAhead(int place, Duration by) {
            long tick = SnowflakeLayout.STANDARD.tickOf(System.currentTimeMillis() + by.toMillis());
            shared.leases().get(place).get().skipTo(tick << 12);
        }

        // it failed at once, though the other worker id had ids again soon
        @Test
        void whereNoneIssuesACallWaitsForTheOneThatTheClockGetsToFirst() {
            assertThat(workerIdOf(striped.nextId())).isEqualTo(3);
            skipAhead(0, Duration.ofMillis(200));
            skipAhead(1, Duration.ofHours(1));

            assertThat(workerIdOf(striped.nextId())).isEqualTo(3);
        }

        @Test
        void whereNoneIssuesACallLeavesItsWorkerIdForOneThatTheClockGetsToSooner() {
            assertThat(workerIdOf(striped.nextId())).isEqualTo(3);
            skipAhead(0, Duration.ofHours(1));
            skipAhead(1, Duration.ofMillis(200));

            assertThat(workerIdOf(striped.nextId())).isNotEqualTo(3);
        }

        private int workerIdOf(long id) {
            return SnowflakeLayout.STANDARD.decode(id).workerId();
        }

        private void takeAway() {
            shared.publish(shared.leases().get(0), new Lease(3, 0));
        }

        private void giveBack() {
            lease(0, 3);
        }

        @Test
        void goesOnWithTheOtherAndComesBackWhileItsIdsIncrease() {
            long last = striped.nextId();
            assertThat(workerIdOf(last)).isEqualTo(3);
            for (int round = 0; round < 100; round++) {
                takeAway();
                long elsewhere = striped.nextId();
                assertThat(elsewhere).isGreaterThan(last);
                assertThat(workerIdOf(elsewhere)).isEqualTo(7);

                giveBack();
                long[] back = new long[2];
                last = striped.nextIds(back, 0, 2);
                assertThat(elsewhere).isLessThan(back[0]);
                assertThat(back[0]).isLessThan(back[1]);
                assertThat(workerIdOf(last)).isEqualTo(3);
            }
        }

        private void end(int place, int workerId, long secondsAgo) {
            long tick = SnowflakeLayout.STANDARD.tickOf(System.currentTimeMillis()) - 100_000;
            long ended = System.nanoTime() - TimeUnit.SECONDS.toNanos(secondsAgo);
            Lease lease = new Lease(workerId, (tick + 1) << 12);
            lease.grant((tick + 1) << 12, ended, 60_000);
            lease.open(tick << 12, tick, 0, tick);
            long unused = lease.noticeEnd(ended);
            shared.publish(shared.leases().get(place), lease);
        }

        // a call failed at once because its thread's worker id had ended long before; the other one ended while the
        // process stood still
        @Test
        void aCallFailsWhenTheLastToEndHasEndedForTooLong() throws Exception {
            assertThat(workerIdOf(striped.nextId())).isEqualTo(3);
            end(0, 3, 100);
            end(1, 7, 1);
            CompletableFuture<Void> extension = CompletableFuture.runAsync(
                    () -> lease(1, 7), CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));

            assertThat(workerIdOf(striped.nextId())).isEqualTo(7);

            extension.get();
            end(1, 7, 50);
            assertThatThrownBy(striped::nextId)
                    .isInstanceOf(SnowflakeUnavailableException.class)
                    .hasMessageContaining("worker id 7");
        }

        // a call started its wait anew at each worker id it was sent to, while none issues until the clock is vetted
        @Test
        void aCallWaitsOnceForAClockThatConcernsAllWorkerIds() {
            VirtualWorld world = new VirtualWorld(1);
            VirtualWorld.Machine machine = world.new Machine();
            VettedClock stepped = new VettedClock(machine, settings.layout(), 10_000);
            SharedState ofBoth = new SharedState("test", machine, 2);
            StripedIssuers issuers = new StripedIssuers(ofBoth.leases().stream()
                    .map(inUse -> new IdIssuer(settings, machine, stepped, ofBoth, inUse))
                    .toList());
            machine.stepClock(Duration.ofSeconds(5));
            machine.start("keeper", () -> {
                world.sleep(Duration.ofMillis(1500));
                Lease lease = new Lease(7, Long.MAX_VALUE);
                long tick = stepped.tick();
                lease.open(tick << 12, tick, 0, tick);
                ofBoth.publish(ofBoth.leases().get(1), lease);
                ofBoth.wakeCallers();
            });
            Instant before = world.trueTime();

            assertThatThrownBy(issuers::nextId).isInstanceOf(SnowflakeUnavailableException.class);

            assertThat(Duration.between(before, world.trueTime())).isLessThan(Duration.ofMillis(2100));
        }

        // a call slept until the clock reached the ids of one worker id that had skipped ahead, though the other one
        // had ids
        @Test
        void aCallDoesNotWaitForTheClockWhereAnotherHasIds() {
            assertThat(workerIdOf(striped.nextId())).isEqualTo(3);
            long tick = SnowflakeLayout.STANDARD.tickOf(System.currentTimeMillis());
            shared.leases().get(0).get().skipTo((tick + 400) << 12);

            assertThat(workerIdOf(striped.nextId())).isEqualTo(7);
            assertThat(workerIdOf(striped.nextIds(new long[10], 0, 10))).isEqualTo(7);
        }

        @Test
        void isActiveWithOneAndTellsOfIt() {
            takeAway();

            SnowflakeStatus status = new StatusView(settings, "test", clock, shared).ofAll();

            assertThat(status.state()).isEqualTo(SnowflakeStatus.State.ACTIVE);
            assertThat(status.workerIds()).containsExactly(7);
            assertThat(status.ready()).isTrue();
        }
    }
}
