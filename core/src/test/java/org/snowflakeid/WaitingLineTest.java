// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.snowflakeid.ids.WaitingLine;
import org.snowflakeid.ids.WaitingLine.Waiter;

/** One thread makes all the calls, as if it were many: time passes only when a test moves it, and no thread sleeps. */
class WaitingLineTest {

    private static final long IDS_PER_TICK = 4096;
    private static final long ROOM = 1000;

    private final StandingPlatform platform = new StandingPlatform();
    private final WaitingLine line = new WaitingLine(platform);
    private long tick = 1;
    private long position = tick * IDS_PER_TICK;

    private static class StandingPlatform implements Platform {
        long nanos;
        int unparked;

        /** Runs while a thread is being woken for the first time. */
        Runnable meanwhile = () -> {};

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void park(long nanos) {}

        @Override
        public void awaitNextMillis() {}

        @Override
        public void unpark(Thread thread) {
            unparked++;
            Runnable now = meanwhile;
            meanwhile = () -> {};
            now.run();
        }

        @Override
        public Thread start(String name, Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String process() {
            return "test";
        }

        @Override
        public long randomLong() {
            return 0;
        }
    }

    private Waiter join() {
        return join(line, true, 0);
    }

    private static Waiter join(WaitingLine line, boolean single, long fromTick) {
        Waiter waiter = line.waiter(single, fromTick);
        line.join(waiter);
        return waiter;
    }

    private List<Waiter> join(int count) {
        List<Waiter> joined = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            joined.add(join());
        }
        return joined;
    }

    /** Acts as a waiter that has been woken. */
    private boolean leads(Waiter waiter) {
        line.await(waiter, Long.MAX_VALUE);
        return waiter.leads();
    }

    /** The leader takes an id of its own and serves as many of the others as it should. Returns how many. */
    private int take(long bound) {
        int others = line.select(bound, position, IDS_PER_TICK, position / IDS_PER_TICK, tick, ROOM);
        position += 1 + others;
        line.serve(bound, position - others, others, position / IDS_PER_TICK, position, tick);
        return others;
    }

    private void nextTick() {
        tick++;
        platform.nanos += TimeUnit.MILLISECONDS.toNanos(1);
    }

    @Test
    void serveWaitingCallsInTheOrderInWhichTheyCame() {
        Waiter leader = join();
        List<Waiter> others = join(5);

        line.serve(line.lastArrival(), 100, 3, tick, position, tick);
        line.leave(leader);

        assertThat(others).extracting(Waiter::id).containsExactly(100L, 101L, 102L, -1L, -1L);
        assertThat(leads(others.get(4))).isFalse();
        assertThat(leads(others.get(3))).isTrue();
        assertThat(platform.unparked).isEqualTo(4);
    }

    @Test
    void giveTheLeadToACallThatFindsNoOtherWaiting() {
        Waiter first = join();
        assertThat(first.leads()).isTrue();
        line.leave(first);

        assertThat(join().leads()).isTrue();
    }

    @Test
    void giveNoIdToACallThatBeganAfterThePositionWasRead() {
        Waiter leader = join();
        Waiter before = join();
        long bound = line.lastArrival();
        Waiter after = join();

        assertThat(line.select(bound, position, 16, tick, tick, 15)).isEqualTo(1);
        line.serve(bound, 100, 2, tick, position, tick);
        line.leave(leader);

        assertThat(before.id()).isEqualTo(100);
        assertThat(after.id()).isNegative();
        assertThat(leads(after)).isTrue();
    }

    @Test
    void leaveABatchAndALaterTickToThemselves() {
        Waiter leader = join();
        Waiter batch = join(line, false, 0);
        join();
        assertThat(take(line.lastArrival())).isZero();
        line.leave(leader);
        assertThat(leads(batch)).isTrue();

        Waiter later = join(line, true, tick + 1);
        assertThat(take(line.lastArrival())).isEqualTo(1);
        line.leave(batch);
        assertThat(leads(later)).isTrue();
    }

    // a call with several worker ids got an id of an earlier tick than one that was returned before it began
    @Test
    void giveNoIdOfAnEarlierTickToACallThatIsNextOnlySinceAnotherLeft() {
        Waiter leader = join();
        Waiter leaving = join();
        Waiter later = join(line, true, tick + 1);
        long bound = line.lastArrival();
        assertThat(line.select(bound, position, 16, tick, tick, 15)).isEqualTo(1);

        line.leave(leaving);
        line.serve(bound, 100, 1, tick, position, tick);

        assertThat(later.id()).isNegative();
        line.leave(leader);
        assertThat(leads(later)).isTrue();
    }

    // the ids of a whole millisecond were lost, though calls that waited for them had been selected
    @Test
    void serveThoseBehindABatchThatLeft() {
        Waiter leader = join();
        Waiter batch = join(line, false, 0);
        List<Waiter> behind = join(3);
        line.leave(batch);
        long bound = line.lastArrival();
        assertThat(line.select(bound, position, 16, tick, tick, 15)).isEqualTo(3);

        line.serve(bound, 100, 3, tick, position, tick);

        assertThat(behind).extracting(Waiter::id).containsExactly(100L, 101L, 102L);
        line.leave(leader);
    }

    @Test
    void serveEveryCallSoonIfIdsAreLeftOver() {
        List<Waiter> all = join(200);
        int served = 0;
        for (int i = 0; i < 10; i++) {
            Waiter leader = all.get(served++);
            assertThat(leads(leader)).isTrue();
            platform.nanos += 50_000;
            served += take(line.lastArrival());
            line.leave(leader);
            if (served == all.size()) {
                break;
            }
        }

        assertThat(all.subList(0, 100)).noneMatch(waiter -> waiter.id() == -1);
    }

    @Test
    void wakeFewWhileOneThreadUsesAllUp() {
        List<Waiter> all = join(200);
        int served = 0;
        for (int i = 0; i < 20; i++) {
            Waiter leader = all.get(served++);
            assertThat(leads(leader)).isTrue();
            position = tick * IDS_PER_TICK - 1;
            served += take(line.lastArrival());
            position += IDS_PER_TICK / 2;
            line.leave(leader);
            nextTick();
        }

        assertThat(served).isBetween(20, 80);
    }

    /** Threads that take few ids and do something else leave milliseconds unused, while others sleep. */
    @Test
    void serveMoreInEachMillisecondThatFollowsOneWithIdsLeftOver() {
        Deque<Waiter> waiting = new ArrayDeque<>(join(300));

        // No more at first than a leader is known to wake in time.
        assertThat(servedInTurn(waiting, 7, false)).containsExactly(0, 1, 3, 7, 15, 16, 63);
        assertThat(servedInTurn(waiting, 3, true)).containsExactly(55, 48, 42);
    }

    private List<Integer> servedInTurn(Deque<Waiter> waiting, int milliseconds, boolean usedUp) {
        List<Integer> served = new ArrayList<>();
        for (int i = 0; i < milliseconds; i++) {
            position = usedUp ? tick * IDS_PER_TICK : position;
            Waiter leader = waiting.remove();
            assertThat(leads(leader)).isTrue();
            int others = take(line.lastArrival());
            served.add(others);
            for (int gone = 0; gone < others; gone++) {
                waiting.remove();
            }
            line.leave(leader);
            nextTick();
        }
        return served;
    }

    @Test
    void serveFirstThoseThatHaveWaitedForLong() {
        List<Waiter> old = join(15);
        platform.nanos += TimeUnit.MILLISECONDS.toNanos(100);
        List<Waiter> young = join(50);

        assertThat(leads(old.get(0))).isTrue();
        assertThat(take(line.lastArrival())).isEqualTo(14);

        assertThat(young).allMatch(waiter -> waiter.id() < 0);
    }

    @Test
    void serveNoMoreThatHaveWaitedForLongThanALeaderCanWake() {
        List<Waiter> old = join(200);
        platform.nanos += TimeUnit.MILLISECONDS.toNanos(100);

        assertThat(leads(old.get(0))).isTrue();
        assertThat(take(line.lastArrival())).isEqualTo(128);
    }

    @Test
    void keepIdsForALeaderThatFindsThemUsedUpAgainAndAgain() {
        Waiter leader = join();
        line.keepIfStarved(leader);
        assertThat(line.keeps()).isFalse();

        starve(leader);
        assertThat(line.keeps()).isTrue();
        assertThat(line.keepsForLeader()).isTrue();

        int unused = take(line.lastArrival());
        assertThat(line.keeps()).isFalse();
    }

    @Test
    void keepNoIdsForALeaderThatIsGone() {
        Waiter leader = join();
        starve(leader);

        line.leave(leader);

        assertThat(line.keepsForLeader()).isFalse();
        assertThat(line.keeps()).isFalse();
    }

    @Test
    void keepNoIdsForALeaderThatGetsNoProcessor() {
        starve(join());

        platform.nanos += TimeUnit.MILLISECONDS.toNanos(20);

        assertThat(line.keepsForLeader()).isFalse();
        assertThat(line.keeps()).isFalse();
    }

    private void starve(Waiter leader) {
        platform.nanos += TimeUnit.MILLISECONDS.toNanos(30);
        line.wentOn(leader);
        line.keepIfStarved(leader);
    }

    @Test
    void letALeaderWaitWhileTheOneBeforeItUsesTheMillisecondUp() {
        take(line.lastArrival());

        platform.nanos += 50_000;
        assertThat(line.isDue(position + 3, IDS_PER_TICK, tick)).isTrue();
        assertThat(line.isDue(position + 1000, IDS_PER_TICK, tick)).isFalse();
        assertThat(line.isDue(position + 1000, IDS_PER_TICK, tick + 1)).isTrue();
    }

    @Test
    void serveAllForWhomThereIsAnIdWhereAMillisecondHasFew() {
        Waiter leader = join();
        List<Waiter> others = join(20);

        int served = line.select(line.lastArrival(), position, 16, tick, tick, 15);
        line.serve(line.lastArrival(), 100, served, tick, position, tick);
        line.leave(leader);

        assertThat(others).filteredOn(other -> other.id() >= 0).hasSize(15);
    }

    @Test
    void callTheNextIfTheOneThatWasCalledGivesUp() {
        Waiter leader = join();
        Waiter second = join();
        Waiter third = join();
        line.leave(leader);

        line.leave(second);

        assertThat(leads(third)).isTrue();
    }

    @Test
    void skipACallThatGaveUpBefore() {
        Waiter leader = join();
        Waiter second = join();
        Waiter third = join();

        line.leave(second);
        line.leave(leader);

        assertThat(leads(third)).isTrue();
        line.leave(third);
        assertThat(join().leads()).isTrue();
    }

    @Test
    void takeTheLeadFromACallThatDoesNothingWithIt() {
        Waiter dead = join();
        Waiter waiting = join();
        assertThat(leads(waiting)).isFalse();

        platform.nanos += TimeUnit.MILLISECONDS.toNanos(20);

        assertThat(leads(waiting)).isTrue();
        line.leave(waiting);
        assertThat(join().leads()).isTrue();
        assertThat(dead.id()).isNegative();
    }

    @Test
    void putACallThatLostTheLeadFirstInTheQueue() {
        Waiter slow = join();
        List<Waiter> others = join(2);
        platform.nanos += TimeUnit.MILLISECONDS.toNanos(20);
        assertThat(leads(others.get(1))).isTrue();

        line.wentOn(slow);
        assertThat(slow.leads()).isFalse();
        line.serve(line.lastArrival(), 100, 2, tick, position, tick);

        assertThat(slow.id()).isEqualTo(100);
        assertThat(others.get(0).id()).isEqualTo(101);
    }

    @Test
    void callABatchAgainThatCameLateToItsTurn() {
        Waiter leader = join();
        Waiter batch = join(line, false, 0);
        Waiter other = join();
        line.leave(leader);
        platform.nanos += TimeUnit.MILLISECONDS.toNanos(20);
        assertThat(leads(other)).isTrue();

        assertThat(leads(batch)).isFalse();
        line.leave(other);

        assertThat(leads(batch)).isTrue();
    }

    @Test
    void passTheLeadOnThoughAnErrorEndsItsHolder() {
        WaitingLine[] failing = new WaitingLine[1];
        StandingPlatform outOfMemory = new StandingPlatform() {
            @Override
            public void park(long nanos) {
                throw new OutOfMemoryError("park");
            }
        };
        failing[0] = new WaitingLine(outOfMemory);
        Waiter leader = join(failing[0], true, 0);
        Waiter doomed = join(failing[0], true, 0);
        Waiter last = join(failing[0], true, 0);

        assertThatThrownBy(() -> failing[0].await(doomed, Long.MAX_VALUE)).isInstanceOf(OutOfMemoryError.class);
        failing[0].leave(doomed);
        failing[0].leave(leader);
        failing[0].await(last, Long.MAX_VALUE);

        assertThat(last.leads()).isTrue();
    }

    @Test
    void sleepLongerWhereManyAreBefore() {
        List<Long> slept = new ArrayList<>();
        StandingPlatform recording = new StandingPlatform() {
            @Override
            public void park(long nanos) {
                slept.add(nanos);
            }
        };
        WaitingLine crowded = new WaitingLine(recording);
        join(crowded, true, 0);
        Waiter second = join(crowded, true, 0);
        Waiter third = join(crowded, true, 0);

        crowded.await(second, Long.MAX_VALUE);
        Waiter last = third;
        for (int i = 0; i < 1_000; i++) {
            last = join(crowded, true, 0);
        }
        crowded.await(last, Long.MAX_VALUE);
        crowded.await(last, 5);

        assertThat(slept.get(0)).isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(slept.get(1)).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(slept.get(2)).isEqualTo(5);
    }

    private boolean stealsTheLead(Waiter waiter) {
        platform.nanos += TimeUnit.MILLISECONDS.toNanos(20);
        return leads(waiter);
    }

    // the call had lost its place in the queue, and waited until no other call wanted ids
    @Test
    void keepABatchThatComesBackWhileItIsRemoved() {
        Waiter first = join();
        Waiter batch = join(line, false, 0);
        line.leave(first);
        Waiter slow = join();
        Waiter next = join();
        assertThat(stealsTheLead(slow)).isTrue();
        platform.meanwhile = () -> {
            assertThat(stealsTheLead(next)).isTrue();
            line.serve(line.lastArrival(), 100, 1, tick, position, tick);
            assertThat(leads(batch)).isFalse();
        };

        line.leave(slow);
        Waiter last = join();
        line.leave(next);

        assertThat(leads(last)).isFalse();
        assertThat(leads(batch)).isTrue();
    }

    // the id was lost, and the call no longer had a place in the queue
    @Test
    void keepTheIdOfALeaderThatWasServedByOneBeforeIt() {
        Waiter slow = join();
        Waiter served = join();
        Waiter next = join();
        platform.meanwhile = () -> {
            assertThat(stealsTheLead(next)).isTrue();
            line.wentOn(served);
        };

        line.serve(line.lastArrival(), 100, 1, tick, position, tick);
        line.leave(slow);

        assertThat(served.id()).isEqualTo(100);
    }
}
