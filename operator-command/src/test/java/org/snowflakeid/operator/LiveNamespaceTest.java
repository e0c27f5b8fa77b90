// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.operator.LiveNamespace.Changes;

class LiveNamespaceTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MadeUpNamespace namespace = new MadeUpNamespace(16);

    private LiveNamespace live(Supplier<SeenNamespace> source) {
        return new LiveNamespace(source, namespace.layout(), MadeUpNamespace::summary);
    }

    /** Asks as a page that knows nothing, until the coordinator was read: a question waits for that for a second only. */
    private static Changes first(LiveNamespace live) throws InterruptedException {
        Changes changes = live.changes(null);
        long start = System.nanoTime();
        while (changes.read() == null) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
            changes = live.changes(null);
        }
        return changes;
    }

    /** Asks until the coordinator was read again. */
    private static Changes next(LiveNamespace live, String cursor) throws InterruptedException {
        Changes changes = live.changes(cursor);
        long start = System.nanoTime();
        while (changes.cursor().equals(cursor)) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
            changes = live.changes(cursor);
        }
        return changes;
    }

    @Test
    void manyPagesAreOneReadingAtATimeAndNoPageIsNone() throws Exception {
        AtomicInteger readings = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch slow = new CountDownLatch(1);
        try (LiveNamespace live = live(() -> {
            most.accumulateAndGet(together.incrementAndGet(), Math::max);
            readings.incrementAndGet();
            try {
                slow.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            together.decrementAndGet();
            return namespace.seen();
        })) {
            List<Thread> pages = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Thread page = new Thread(() -> {
                    try {
                        assertThat(live.changes("").read()).isNull();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                page.start();
                pages.add(page);
            }
            for (Thread page : pages) {
                page.join();
            }
            // Its thread may begin after all of them have gone.
            Scene.await(PATIENCE, () -> readings.get() > 0);
            assertThat(readings).hasValue(1);
            slow.countDown();
            String cursor = next(live, live.changes("").cursor()).cursor();
            int before = readings.get();
            long start = System.nanoTime();
            Scene.await(
                    PATIENCE,
                    () -> System.nanoTime() - start > Duration.ofMillis(2_500).toNanos());
            assertThat(readings).hasValue(before);
            next(live, cursor);
            assertThat(readings).hasValue(before + 1);
            assertThat(most).hasValue(1);
        }
    }

    @Test
    void afterTheFirstAnswerOnlyChangesAreSent() throws Exception {
        for (int id = 0; id < 60_000; id += 2) {
            namespace.hold(id, "app-" + id % 100, MadeUpNamespace.NOON, MadeUpNamespace.NOON.plusSeconds(60));
        }
        try (LiveNamespace live = live(namespace::seen)) {
            Changes first = first(live);
            namespace.hold(1, "app-new", namespace.now(), namespace.now().plusSeconds(60));
            namespace.leave(2, namespace.now());
            Changes second = next(live, first.cursor());
            Changes third = next(live, second.cursor());

            assertThat(first.reset()).isTrue();
            assertThat(first.size()).isEqualTo(65_536);
            assertThat(first.workers()).hasSize(30_000);
            assertThat(first.hosts()).hasSize(50);
            assertThat(second.reset()).isFalse();
            assertThat(second.workers())
                    .containsExactly(new int[] {1, WorkerMap.HELD, 50}, new int[] {2, WorkerMap.FREE, -1});
            assertThat(second.hosts()).containsExactly("app-new");
            assertThat(second.events()).hasSize(2);
            assertThat(third.workers()).isEmpty();
            assertThat(third.hosts()).isEmpty();
            assertThat(third.events()).isEmpty();
        }
    }

    @Test
    void aPageOfAnotherRunOrWithNonsenseStartsAnew() throws Exception {
        namespace.hold(3, "app", MadeUpNamespace.NOON, MadeUpNamespace.NOON);
        try (LiveNamespace live = live(namespace::seen)) {
            String cursor = first(live).cursor();

            for (String other :
                    List.of("x" + cursor, "", "...", "a.b.c.d", cursor + ".1", cursor.replace(".1.", ".99."))) {
                Changes changes = live.changes(other);
                assertThat(changes.reset()).as(other).isTrue();
                assertThat(changes.workers()).as(other).hasSize(1);
                assertThat(changes.hosts()).as(other).containsExactly("app");
            }
        }
    }

    @Test
    void hostsThatComeAndGoDoNotFillTheMemory() throws Exception {
        try (LiveNamespace live = live(namespace::seen)) {
            String cursor = first(live).cursor();
            for (int id = 0; id < 2_000; id++) {
                namespace.hold(id, "old-" + id, MadeUpNamespace.NOON, MadeUpNamespace.NOON);
            }
            cursor = next(live, cursor).cursor();
            for (int id = 0; id < 2_000; id++) {
                namespace.leave(id, MadeUpNamespace.NOON);
            }
            namespace.hold(5, "new", MadeUpNamespace.NOON, MadeUpNamespace.NOON);
            Changes changes = next(live, cursor);

            assertThat(changes.reset()).isTrue();
            assertThat(changes.hosts()).containsExactly("new");
            assertThat(changes.workers()).containsExactly(new int[] {5, WorkerMap.HELD, 0});
        }
    }

    @Test
    void statesFollowTheClockAndWhatIsReserved() throws Exception {
        namespace.leave(1, namespace.now());
        namespace.leave(2, namespace.now().plusSeconds(1));
        namespace.leave(3, namespace.now().plus(Duration.ofHours(2)));
        namespace.hold(4, "app", namespace.now(), namespace.now().plus(Duration.ofHours(2)));
        namespace.unreadable(5, null);
        namespace.unreadable(6, "'nonsense'");
        try (LiveNamespace live = live(namespace::seen)) {
            Changes first = first(live);
            namespace.pass(Duration.ofSeconds(1));
            Changes later = next(live, first.cursor());

            assertThat(first.workers())
                    .containsExactly(new int[][] {{2, 2, -1}, {3, 4, -1}, {4, 5, 0}, {5, 8, -1}, {6, 9, 1}});
            assertThat(later.workers()).containsExactly(new int[] {2, 0, -1});
        }
    }

    @Test
    void aCoordinatorThatCanNotBeReadIsSaidAndWhatWasKnownStays() throws Exception {
        namespace.hold(3, "app", MadeUpNamespace.NOON, MadeUpNamespace.NOON);
        AtomicInteger readings = new AtomicInteger();
        try (LiveNamespace live = live(() -> {
            if (readings.incrementAndGet() == 2) {
                throw new CoordinatorException("snowflake 'default': etcd does not answer", false);
            }
            return namespace.seen();
        })) {
            Changes changes = first(live);
            long start = System.nanoTime();
            while (changes.trouble() == null) {
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
                changes = live.changes(null);
            }

            assertThat(changes.trouble()).isEqualTo("etcd does not answer");
            assertThat(changes.read()).isEqualTo(MadeUpNamespace.NOON);
            assertThat(changes.workers()).hasSize(1);
            assertThat(next(live, changes.cursor()).trouble()).isNull();
        }
    }

    @Test
    void anIdIsTextAndDecodedByTheLayoutOfTheNamespace() throws Exception {
        namespace.hold(40_000, "app", MadeUpNamespace.NOON, MadeUpNamespace.NOON.plusSeconds(60));
        try (LiveNamespace live = live(namespace::seen)) {
            Changes unused = first(live);
            String id = Long.toString(namespace.layout().minId(MadeUpNamespace.NOON) + (40_000L << 6) + 63);
            LiveNamespace.IdAnswer answer = live.id(id);

            assertThat(answer).isNotNull();
            assertThat(answer.id()).isEqualTo(id);
            assertThat(answer.workerId()).isEqualTo(40_000);
            assertThat(answer.sequence()).isEqualTo(63);
            assertThat(answer.timestamp()).isEqualTo(MadeUpNamespace.NOON);
            assertThat(answer.host()).isEqualTo("app");
            for (String none : List.of("", "-1", "x", "1e3", "9223372036854775808", "99999999999999999999", "٣")) {
                assertThat(live.id(none)).as(none).isNull();
                assertThat(live.worker(none)).as(none).isNull();
            }
            assertThat(live.id("9223372036854775807")).isNotNull();
            assertThat(live.worker("65536")).isNull();
        }
    }
}
