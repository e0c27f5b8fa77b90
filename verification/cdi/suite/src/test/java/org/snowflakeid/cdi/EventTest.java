// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.spi.EventMetadata;
import jakarta.inject.Inject;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeEvent.Claimed;
import org.snowflakeid.SnowflakeEvent.Lost;
import org.snowflakeid.SnowflakeEvent.Resumed;
import org.snowflakeid.SnowflakeEvent.Suspended;
import org.snowflakeid.SnowflakeEvent.Swapped;
import org.snowflakeid.SnowflakeStatus;

class EventTest {

    /** What observers were told, as {@code <observer> <kind> <generator>}. */
    private static final BlockingQueue<String> TOLD = new LinkedBlockingQueue<>();

    @BeforeEach
    void forgetEarlierTests() {
        TOLD.clear();
        RecordingCoordinatorProvider.JOURNAL.clear();
        RecordingCoordinatorProvider.down = false;
        RecordingCoordinatorProvider.loseOwner = false;
    }

    private static void note(String observer, SnowflakeEvent event) {
        TOLD.add(observer + " " + event.getClass().getSimpleName() + " " + event.generator());
    }

    private static String next() throws InterruptedException {
        return String.valueOf(TOLD.poll(90, TimeUnit.SECONDS));
    }

    /** On a machine that is held up, a generator with a short window may extend a second too late, and is not ready meanwhile. */
    private static void awaitReady(Application application) {
        SnowflakeStatus status = application.get(User.class).ids.status();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (!status.ready()) {
            assertThat(System.nanoTime()).as(status::toString).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
            status = application.get(User.class).ids.status();
        }
    }

    @Dependent
    static class User {
        @Inject
        Snowflake ids;
    }

    @Dependent
    static class UserOfTwo {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @ApplicationScoped
    static class Observer {
        void all(@Observes SnowflakeEvent event) {
            note("any", event);
        }
    }

    @Test
    void tellsPlainObserversWhateverHappensInItsOrder() throws Exception {
        try (Application application = Application.with("snowflake.window=PT3S").of(User.class, Observer.class)) {
            assertThat(next()).isEqualTo("any Claimed default");

            RecordingCoordinatorProvider.loseOwner = true;
            assertThat(next()).isEqualTo("any Lost default");
            assertThat(next()).isEqualTo("any Swapped default");

            RecordingCoordinatorProvider.down = true;
            assertThat(next()).isEqualTo("any Suspended default");
            RecordingCoordinatorProvider.down = false;
            assertThat(next()).isEqualTo("any Resumed default");

            assertThat(application.get(User.class).ids.nextId()).isPositive();
        }
        assertThat(TOLD).isEmpty();
    }

    @ApplicationScoped
    static class ObserverOfKinds {
        void claimed(@Observes Claimed event) {
            note("claimed", event);
        }

        void lost(@Observes Lost event) {
            note("lost", event);
        }

        void swapped(@Observes Swapped event) {
            note("swapped", event);
        }

        void suspended(@Observes Suspended event) {
            note("suspended", event);
        }

        void resumed(@Observes Resumed event) {
            note("resumed", event);
        }
    }

    @Test
    void tellsAnObserverOfOneKindThatKindOnly() throws Exception {
        try (Application application =
                Application.with("snowflake.window=PT3S").of(User.class, ObserverOfKinds.class)) {
            assertThat(next()).isEqualTo("claimed Claimed default");
            RecordingCoordinatorProvider.loseOwner = true;
            assertThat(next()).isEqualTo("lost Lost default");
            assertThat(next()).isEqualTo("swapped Swapped default");
            assertThat(application.container().isRunning()).isTrue();
        }
        assertThat(TOLD).isEmpty();
    }

    @ApplicationScoped
    static class QualifiedObserver {
        void unnamed(@Observes @Default SnowflakeEvent event) {
            note("default", event);
        }

        void calledDefault(@Observes @SnowflakeName("default") Claimed event) {
            note("called-default", event);
        }

        void orders(@Observes @SnowflakeName("orders") Claimed event) {
            note("orders", event);
        }
    }

    @Test
    void aQualifierChoosesTheGenerator() throws Exception {
        try (Application application = Application.of(UserOfTwo.class, Observer.class, QualifiedObserver.class)) {
            assertThat(new String[] {next(), next(), next(), next(), next()})
                    .containsExactlyInAnyOrder(
                            "any Claimed default",
                            "default Claimed default",
                            "called-default Claimed default",
                            "any Claimed orders",
                            "orders Claimed orders");
            assertThat(application.container().isRunning()).isTrue();
        }
        assertThat(TOLD).isEmpty();
    }

    @ApplicationScoped
    static class OrdersOnly {
        void orders(@Observes @SnowflakeName("orders") Claimed event) {
            note("orders", event);
        }
    }

    @ApplicationScoped
    static class Asynchronous {
        void asynchronous(@ObservesAsync SnowflakeEvent event) {
            note("asynchronous", event);
        }
    }

    @Test
    void anUnobservedGeneratorTellsNothing() {
        try (Application application = Application.of(UserOfTwo.class, OrdersOnly.class, Asynchronous.class)) {
            var container = application.container().getBeanManager();

            assertThat(EventFiring.isObserved(container, "orders")).isTrue();
            assertThat(EventFiring.isObserved(container, "default")).isFalse();
        }
    }

    @ApplicationScoped
    static class ObserverInItsApplication {
        @Inject
        Snowflake ids;

        void claimed(@Observes Claimed event, Snowflake sameIds) {
            boolean issues = ids.nextId() < sameIds.nextId();
            TOLD.add(issues + " " + Thread.currentThread().getContextClassLoader());
        }
    }

    @Test
    void observersUseTheGeneratorAndSeeTheApplicationsClasses() throws Exception {
        try (Application application = Application.of(ObserverInItsApplication.class)) {
            assertThat(application.container().isRunning()).isTrue();
            assertThat(next()).isEqualTo("true " + Thread.currentThread().getContextClassLoader());
        }
    }

    @ApplicationScoped
    static class BlockedObserver {
        static CountDownLatch released = new CountDownLatch(0);
        static volatile Thread thread = Thread.currentThread();

        void all(@Observes SnowflakeEvent event) throws InterruptedException {
            thread = Thread.currentThread();
            note("blocked", event);
            released.await();
        }
    }

    @Test
    void aBlockedObserverHoldsUpNeitherStartNorIdsNorExtensionsNorTheEnd() throws Exception {
        BlockedObserver.released = new CountDownLatch(1);
        try (Application application =
                Application.with("snowflake.window=PT3S").of(User.class, BlockedObserver.class)) {
            assertThat(next()).isEqualTo("blocked Claimed default");
            Snowflake ids = application.get(User.class).ids;
            var firstEnd = ids.status().reservedUntil().orElseThrow();
            RecordingCoordinatorProvider.loseOwner = true;

            // The extension, and the claim by which it owns again.
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (!ids.status().reservedUntil().orElseThrow().isAfter(firstEnd.plusSeconds(1))
                    || RecordingCoordinatorProvider.JOURNAL.size() < 2
                    || !ids.status().ready()) {
                ids.nextIds(10_000);
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
        }
        // The end waits for a thread that is held up, but not for ever.
        long ended = System.nanoTime();
        while (RecordingCoordinatorProvider.JOURNAL.size() < 3) {
            assertThat(System.nanoTime() - ended).isLessThan(TimeUnit.SECONDS.toNanos(90));
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .containsExactly("claimed snowflake", "claimed snowflake", "released snowflake");
        BlockedObserver.released.countDown();
        BlockedObserver.thread.join(60_000);
        assertThat(BlockedObserver.thread.isAlive()).isFalse();
        assertThat(TOLD).isEmpty();
    }

    @ApplicationScoped
    static class FailingObserver {
        void all(@Observes SnowflakeEvent event) {
            note("failing", event);
            throw new IllegalStateException("an observer's own fault");
        }
    }

    @Test
    void anObserverThatFailsIsToldTheNextEvent() throws Exception {
        try (Application application =
                Application.with("snowflake.window=PT3S").of(User.class, FailingObserver.class)) {
            assertThat(next()).isEqualTo("failing Claimed default");
            RecordingCoordinatorProvider.loseOwner = true;
            assertThat(next()).isEqualTo("failing Lost default");
            assertThat(next()).isEqualTo("failing Swapped default");
            awaitReady(application);
        }
    }

    @ApplicationScoped
    static class FailingFirst {
        void all(@Observes @Priority(1) SnowflakeEvent event) {
            note("failing", event);
            throw new IllegalStateException("an observer's own fault");
        }
    }

    @ApplicationScoped
    static class FailingOfOneKind {
        void claimed(@Observes @Priority(2) Claimed event) {
            throw new NoClassDefFoundError("org/pager/Missing");
        }
    }

    @ApplicationScoped
    static class LateObserver {
        void all(@Observes @Priority(9000) SnowflakeEvent event, EventMetadata metadata) {
            // Only Weld with the build compatible extension alone, which it has nowhere but in this test, can't tell.
            if (!Application.BUILD_COMPATIBLE_ALONE) {
                assertThat(metadata.getType()).isEqualTo(event.getClass());
            }
            note("late", event);
        }
    }

    @Test
    void anObserverThatFailsDoesNotKeepTheLaterOnesFromBeingTold() throws Exception {
        try (Warnings warnings = new Warnings("snowflake 'default': the observer");
                Application application =
                        Application.of(User.class, LateObserver.class, FailingOfOneKind.class, FailingFirst.class)) {
            assertThat(next()).isEqualTo("failing Claimed default");
            assertThat(next()).isEqualTo("late Claimed default");
            awaitReady(application);
            assertThat(warnings.next()).contains("FailingFirst", "Claimed");
            assertThat(warnings.next()).contains("FailingOfOneKind", "Claimed");
        }
    }

    @ApplicationScoped
    static class FailingAtRecords {
        void all(@Observes @Priority(1) Record event) {
            TOLD.add("failing at a record");
            throw new IllegalStateException("an observer's own fault");
        }
    }

    // the later ones were not told
    @Test
    void norDoesOneOfATypeThatOurEventsAreAmongOthers() throws Exception {
        try (Warnings warnings = new Warnings("snowflake 'default': the observer");
                Application application = Application.of(User.class, LateObserver.class, FailingAtRecords.class)) {
            assertThat(next()).isEqualTo("failing at a record");
            assertThat(next()).isEqualTo("late Claimed default");
            awaitReady(application);
            assertThat(warnings.next()).contains("FailingAtRecords", "Claimed");
        }
    }

    @RequestScoped
    static class ObserverOfRequests {
        void all(@Observes SnowflakeEvent event) {
            note("request", event);
        }
    }

    @Test
    void anObserverInARequestIsNotToldAndTheLogSaysSoOnce() throws Exception {
        try (Warnings warnings = new Warnings("snowflake 'default': the observer");
                Application application = Application.with("snowflake.window=PT3S")
                        .of(User.class, ObserverOfRequests.class, LateObserver.class)) {
            assertThat(next()).isEqualTo("late Claimed default");
            RecordingCoordinatorProvider.loseOwner = true;
            assertThat(next()).isEqualTo("late Lost default");
            assertThat(next()).isEqualTo("late Swapped default");

            awaitReady(application);
            assertThat(warnings.all().filter(warning -> warning.contains("ObserverOfRequests")))
                    .singleElement()
                    .asString()
                    .contains("RequestScoped");
        }
    }
}
