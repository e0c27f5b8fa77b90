// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time stands still unless a test moves it: whoever is not called sleeps for ever. */
@Timeout(20)
class TurnsTest {

    private final StandingPlatform platform = new StandingPlatform();
    private final Turns turns = new Turns(platform);

    private static class StandingPlatform implements Platform {
        volatile long nanos;

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void park(long nanos) {
            LockSupport.park(this);
        }

        @Override
        public void awaitNextMillis() {}

        @Override
        public void unpark(Thread thread) {
            LockSupport.unpark(thread);
        }

        @Override
        public Thread start(String name, Runnable task) {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        @Override
        public long randomLong() {
            return 0;
        }
    }

    private Thread asleep(String name, Runnable task) throws InterruptedException {
        Thread thread = platform.start(name, task);
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).isTrue();
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return thread;
    }

    @Test
    void comesToEachInTheOrderOfArrival() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        assertThat(turns.take()).isTrue();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            String name = "thread " + i;
            threads[i] = asleep(name, () -> {
                if (turns.take()) {
                    order.add(name);
                    turns.pass();
                }
            });
        }

        turns.pass();

        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(order).containsExactly("thread 0", "thread 1", "thread 2");
        assertThat(turns.take()).isTrue();
    }

    @Test
    void isNotWaitedForLongerThanPatienceAllows() throws Exception {
        List<Boolean> taken = new CopyOnWriteArrayList<>();
        assertThat(turns.take()).isTrue();
        Thread waiting = asleep("waiting", () -> taken.add(turns.take()));

        platform.nanos = TimeUnit.SECONDS.toNanos(1);
        platform.unpark(waiting);

        waiting.join();
        assertThat(taken).containsExactly(false);
    }

    @Test
    void isNotWaitedForByAnInterruptedThread() throws Exception {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        assertThat(turns.take()).isTrue();
        Thread waiting = asleep("waiting", () -> {
            assertThat(turns.take()).isFalse();
            interrupted.add(Thread.currentThread().isInterrupted());
        });

        waiting.interrupt();

        waiting.join();
        assertThat(interrupted).containsExactly(true);
    }

    @Test
    void comesToTheNextIfItIsPassedJustWhenTheFirstGivesUp() throws Exception {
        Turns[] passed = new Turns[1];
        Thread[] first = new Thread[1];
        List<String> order = new CopyOnWriteArrayList<>();
        StandingPlatform atTheLastMoment = new StandingPlatform() {
            @Override
            public long nanoTime() {
                if (nanos > 0 && Thread.currentThread().equals(first[0])) {
                    passed[0].pass();
                }
                return super.nanoTime();
            }
        };
        passed[0] = new Turns(atTheLastMoment);
        assertThat(passed[0].take()).isTrue();
        first[0] = asleep("first", () -> order.add("first: " + passed[0].take()));
        Thread second = asleep("second", () -> order.add("second: " + passed[0].take()));

        atTheLastMoment.nanos = TimeUnit.SECONDS.toNanos(1);
        atTheLastMoment.unpark(first[0]);
        first[0].join();
        second.join();

        assertThat(order).containsExactlyInAnyOrder("first: false", "second: true");
    }
}
