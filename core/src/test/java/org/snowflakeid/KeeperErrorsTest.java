// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.SnowflakeEvent.Resumed;
import org.snowflakeid.SnowflakeEvent.Suspended;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;

/** A coordinator, a platform or a listener throws an error, or anything else: no thread ends in silence. */
class KeeperErrorsTest {

    private static final int ALWAYS = Integer.MAX_VALUE;

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();
    private final List<SnowflakeEvent> heard = new ArrayList<>();

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    static Stream<Error> errors() {
        return Stream.of(
                new OutOfMemoryError("planted"),
                new StackOverflowError("planted"),
                new NoClassDefFoundError("planted"),
                new AssertionError("planted"));
    }

    static Stream<Arguments> errorsAtStart() {
        return Stream.of(Kind.READ, Kind.META, Kind.CLAIM)
                .flatMap(kind -> errors().map(error -> Arguments.of(kind, error)));
    }

    // the log had a stack trace each second for as long as the error lasted
    @Test
    void anErrorThatLastsIsLoggedOnceWithWhereItCameFrom() {
        stage.keys.put("snowflake.workers", "2");
        process.open();
        stage.sleep(Duration.ofMinutes(1));
        try (LogLines log = new LogLines()) {
            process.wire.throwInsteadOf(Kind.EXTEND, ALWAYS, new NoClassDefFoundError("planted"));

            stage.sleep(Duration.ofSeconds(50));

            assertThat(log.all().stream().filter(line -> line.contains("unexpected failure; what")))
                    .hasSize(1);
            assertThat(log.all().stream().filter(line -> line.contains("extension failed")))
                    .hasSizeBetween(2, 6);
            process.wire.heal();
        }
    }

    // for want of a descriptor the keeper could draw no random number, not even for the pause before its next attempt:
    // 973 calls failed, and the log said nothing
    @Test
    void whatCannotBeDrawnIsSaid() {
        process.open();
        stage.sleep(Duration.ofMinutes(1));
        try (LogLines log = new LogLines()) {
            process.randomness = () -> {
                throw new IllegalStateException("Too many open files");
            };
            stage.sleep(Duration.ofSeconds(70));

            assertThat(log.all())
                    .anyMatch(line -> line.contains("extension failed") && line.contains("Too many open files"));
            assertThat(process.startCall().awaitFailure()).hasMessageContaining("Too many open files");

            process.randomness = null;
            stage.sleep(Duration.ofSeconds(3));
            process.issueFor(Duration.ofMinutes(1));
        }
    }

    // a log handler that threw an error kept the generator from starting
    @ParameterizedTest
    @MethodSource("errors")
    void aLogThatFailsCostsNothingButItsLines(Error error) {
        try (LogLines log = new LogLines()) {
            log.failure = error;
            process.open();
            stage.sleep(Duration.ofMinutes(1));
            process.machine.stepClock(Duration.ofSeconds(-3));
            stage.store.owners.clear();
            stage.sleep(Duration.ofMinutes(1));
            process.issueFor(Duration.ofMinutes(1));
        }
    }

    static IntStream readings() {
        return IntStream.rangeClosed(1, 35);
    }

    private static List<Throwable> causes(Throwable thrown) {
        return Stream.iterate(thrown, cause -> cause != null, Throwable::getCause)
                .toList();
    }

    private void openAndRunFor(Duration duration) {
        process.open();
        stage.sleep(duration);
    }

    @Nested
    class AtStart {

        // the connection stayed open, for a generator that no caller has
        @Test
        void anErrorRightAfterTheCoordinatorWasOpenedClosesIt() {
            Error error = new StackOverflowError("planted");
            Platform platform = new DelegatingPlatform(process) {
                @Override
                public long nanoTime() {
                    if (process.wire.connections() > 0) {
                        throw error;
                    }
                    return super.nanoTime();
                }
            };

            assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(stage.keys), process.wire, platform))
                    .isSameAs(error);

            assertThat(process.wire.connections()).isZero();
        }

        // the keeper went on for ever, for a generator that no caller could close
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#errors")
        void anErrorInTheThreadThatWaitsForItLeavesNothingBehind(Error error) {
            process.atOpenersNextPark = error;

            process.startOpening();

            assertThat(process.awaitRefusal()).isSameAs(error);
            stage.sleep(Duration.ofMinutes(2));
            assertThat(process.wire.connections()).isZero();
            assertThat(stage.store.owners).isEmpty();
        }

        // open() never returned
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#errorsAtStart")
        void anErrorThatStaysEndsTheStartWithItsCause(Kind kind, Error error) {
            process.wire.throwInsteadOf(kind, ALWAYS, error);

            process.startOpening();
            // Memory may come back within the startup timeout; what is missing stays missing.
            stage.within(
                    Duration.ofSeconds(error instanceof VirtualMachineError ? 96 : 1),
                    "open returns",
                    process::isDecided);

            assertThat(causes(process.awaitRefusal())).contains(error);
            stage.sleep(Duration.ofSeconds(10));
            assertThat(process.wire.connections()).isZero();
            assertThat(stage.store.owners).isEmpty();
        }

        // open() never returned
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#errorsAtStart")
        void oneErrorIsSurvivedOrEndsTheStartWithItsCause(Kind kind, Error error) {
            process.wire.throwInsteadOf(kind, 1, error);

            process.startOpening();
            stage.within(Duration.ofSeconds(96), "open returns", process::isDecided);

            // Whatever a claim threw, the keeper finds out whether it was applied.
            if (error instanceof VirtualMachineError || kind == Kind.CLAIM) {
                assertThat(process.isOpen()).isTrue();
                process.issueFor(Duration.ofMinutes(2));
            } else {
                assertThat(causes(process.awaitRefusal())).contains(error);
            }
        }

        // open() never returned: the keeper ended before it had said why
        @Test
        void anErrorWhereAFailureIsReportedEndsTheStartAllTheSame() {
            int[] left = {0};
            CoordinatorException failure = new CoordinatorException("planted", true) {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    if (left[0]-- > 0) {
                        throw new OutOfMemoryError("planted");
                    }
                    return super.getMessage();
                }
            };
            process.wire.throwInsteadOf(Kind.READ, ALWAYS, failure);
            left[0] = 1;

            process.startOpening();
            stage.within(Duration.ofSeconds(96), "open returns", process::isDecided);

            assertThat(causes(process.awaitRefusal())).contains(failure);
            stage.sleep(Duration.ofSeconds(10));
            assertThat(process.wire.connections()).isZero();
        }

        // the connection stayed open
        @Test
        void aThreadThatCannotBeMadeEndsTheStartWithItsCause() {
            OutOfMemoryError noThread = new OutOfMemoryError("unable to create native thread");
            process.beforeThread = name -> {
                throw noThread;
            };

            process.startOpening();
            stage.within(Duration.ofSeconds(1), "open returns", process::isDecided);

            assertThat(causes(process.awaitRefusal())).contains(noThread);
            assertThat(process.wire.connections()).isZero();
        }
    }

    // the keeper's thread ended, ids a window later, and nothing reported it
    @ParameterizedTest
    @MethodSource("errors")
    void anErrorOfAnExtensionIsSurvivedOrReported(Error error) {
        process.listener = heard::add;
        openAndRunFor(Duration.ofMinutes(2));
        heard.clear();
        try (LogLines log = new LogLines()) {
            process.wire.throwInsteadOf(Kind.EXTEND, ALWAYS, error);

            stage.within(
                    Duration.ofSeconds(25),
                    "an error in status",
                    () -> process.ids().status().lastError().isPresent());
            assertThat(process.ids().status().lastError()).get().asString().contains("planted");
            assertThat(log.all()).anySatisfy(line -> assertThat(line).contains("planted"));
        }
        stage.sleep(Duration.ofSeconds(65));

        assertThat(process.ids().status().state()).isEqualTo(State.SUSPENDED);
        assertThat(heard).first().isInstanceOfSatisfying(Suspended.class, suspended -> assertThat(suspended.reason())
                .contains("planted"));
        assertThatThrownBy(process::issue)
                .isInstanceOf(SnowflakeException.class)
                .hasMessageContaining("planted");
    }

    // a single moment without memory ended all ids a window later
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"EXTEND", "READ"})
    void oneOutOfMemoryErrorEndsNoExtension(Kind kind) {
        openAndRunFor(Duration.ofMinutes(2));
        try (LogLines log = new LogLines()) {
            process.wire.throwInsteadOf(kind, 1, new OutOfMemoryError("planted"));
            // The keeper judges the clock by what it reads.
            process.machine.stepClock(Duration.ofSeconds(kind == Kind.READ ? -60 : 0));
            stage.sleep(Duration.ofSeconds(25));

            assertThat(log.all()).anySatisfy(line -> assertThat(line).contains("planted"));
        }

        process.issueFor(Duration.ofMinutes(5));
        assertThat(process.ids().status().lastError()).isEmpty();
    }

    // ids did not come back once there was memory again
    @Test
    void idsComeBackWhenThereIsMemoryAgain() {
        process.listener = heard::add;
        openAndRunFor(Duration.ofMinutes(2));
        process.wire.throwInsteadOf(Kind.EXTEND, ALWAYS, new OutOfMemoryError("planted"));
        stage.sleep(Duration.ofSeconds(90));

        process.wire.heal();
        stage.sleep(Duration.ofSeconds(5));

        process.issueFor(Duration.ofMinutes(2));
        assertThat(process.ids().status().lastError()).isEmpty();
        assertThat(heard).last().isInstanceOf(Resumed.class);
    }

    // the keeper's thread ended between two steps
    @Test
    void anErrorWhereTheKeeperParksEndsNoExtension() {
        openAndRunFor(Duration.ofMinutes(2));
        process.atKeepersNextPark = new OutOfMemoryError("planted");
        try (LogLines log = new LogLines()) {
            stage.sleep(Duration.ofSeconds(45));

            assertThat(process.atKeepersNextPark).isNull();
            assertThat(log.all()).anySatisfy(line -> assertThat(line).contains("planted"));
        }

        process.issueFor(Duration.ofMinutes(5));
    }

    // the keeper's thread ended: logging failed with the very same error, as where the JVM has only one preallocated
    // instance left
    @Test
    void anErrorThatTheLogMeetsTooEndsNoExtension() {
        openAndRunFor(Duration.ofMinutes(2));
        OutOfMemoryError only = new OutOfMemoryError("planted");
        process.atKeepersNextPark = only;
        try (LogLines log = new LogLines()) {
            log.failure = only;
            stage.sleep(Duration.ofSeconds(45));

            assertThat(process.atKeepersNextPark).isNull();
        }

        process.issueFor(Duration.ofMinutes(5));
    }

    // a claim whose file could not be kept held its worker id as long as the process, and no generator knew of it
    @Test
    void anErrorRightAfterAClaimLeavesNoOwner() {
        stage.keys.put("snowflake.resume.directory", "/resume");
        process.disk.random = new Random(1) {
            @Override
            public int nextInt(int bound) {
                throw new IllegalStateException("planted");
            }
        };
        process.disk.failuresOneIn = 2;
        process.startOpening();
        stage.sleep(Duration.ofSeconds(10));

        assertThat(stage.store.owners).isEmpty();
        process.crash();
    }

    @Nested
    class AtTheEnd {

        // the owner entry stayed for its time to live, and the error was nowhere to be read
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#errors")
        void anErrorOfTheReleaseIsLoggedAndLeavesNoOwner(Error error) {
            openAndRunFor(Duration.ofMinutes(2));
            process.wire.throwInsteadOf(Kind.RELEASE, ALWAYS, error);

            try (LogLines log = new LogLines()) {
                process.close();

                assertThat(log.all()).anySatisfy(line -> assertThat(line).contains("could not be released"));
            }
            assertThat(stage.store.owners).isEmpty();
            assertThat(process.wire.connections()).isZero();
        }

        // close() waited for nine seconds
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#errors")
        void aConnectionThatFailsToCloseDoesNotDelayTheCaller(Error error) {
            openAndRunFor(Duration.ofMinutes(2));
            process.wire.throwAfter(Kind.CLOSE, ALWAYS, error);
            Instant before = stage.world.trueTime();

            process.close();

            assertThat(Duration.between(before, stage.world.trueTime())).isLessThan(Duration.ofSeconds(1));
            assertThat(stage.store.owners).isEmpty();
        }

        // the thread that writes the notes for successors ran on for ever
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#errors")
        void aConnectionThatFailsToCloseLeavesNoThread(Error error) {
            stage.keys.put("snowflake.resume.directory", "/resume");
            openAndRunFor(Duration.ofMinutes(2));
            assertThat(process.threads).hasSize(2);
            process.wire.throwAfter(Kind.CLOSE, ALWAYS, error);

            process.close();

            stage.within(Duration.ofMinutes(1), "threads end", process.threads::isEmpty);
        }
    }

    @Nested
    class OfListeners {

        private void loseTheOwner() {
            stage.store.expireOwners();
            stage.store.hintLoss();
            stage.sleep(Duration.ofSeconds(25));
        }

        // after a checked exception, which Kotlin lets a listener throw, no further event was delivered
        @Test
        void whatALanguageWithoutCheckedExceptionsThrowsKeepsNoFurtherEventAway() {
            process.listener = event -> {
                heard.add(event);
                throw Wire.<RuntimeException>unchecked(new IOException("planted"));
            };
            openAndRunFor(Duration.ofMinutes(2));
            assertThat(heard).hasSize(1);

            try (LogLines log = new LogLines()) {
                loseTheOwner();

                assertThat(heard).hasSize(3);
                assertThat(log.all()).anySatisfy(line -> assertThat(line).contains("planted"));
            }
        }

        // the keeper's thread ended because the thread for events could not be started
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#errors")
        void aThreadForEventsThatCannotBeMadeEndsNeitherExtensionsNorLaterEvents(Error error) {
            process.listener = heard::add;
            openAndRunFor(Duration.ofMinutes(2));
            boolean[] armed = {true};
            process.beforeThread = name -> {
                if (armed[0]) {
                    armed[0] = false;
                    throw error;
                }
            };
            loseTheOwner();
            heard.clear();

            loseTheOwner();

            process.issueFor(Duration.ofMinutes(2));
            assertThat(heard).isNotEmpty();
        }
    }

    /** Errors while ids go over to another worker id. */
    @Nested
    class AtTheSwap {

        // between two steps of a swap, the old lease was sealed and nothing took its place: no ids for ever
        @ParameterizedTest
        @MethodSource("org.snowflakeid.KeeperErrorsTest#readings")
        void anErrorAtAnyReadingOfTheClockPasses(int reading) {
            openAndRunFor(Duration.ofMinutes(2));
            AtomicInteger left = new AtomicInteger(reading);
            Actor.Stop unused = process.stopKeeperAtClock(() -> {
                if (left.decrementAndGet() == 0) {
                    throw new StackOverflowError("planted");
                }
                return false;
            });

            process.machine.stepClock(Duration.ofSeconds(5));
            stage.until("the error", () -> left.get() <= 0);
            // The successor is given up, and no other worker id is free.
            process.wire.throwInsteadOf(Kind.CLAIM, ALWAYS, new CoordinatorException("planted", false));
            process.machine.stepClock(Duration.ofSeconds(5));
            stage.sleep(Duration.ofMinutes(3));

            process.issueFor(Duration.ofMinutes(1));
        }

        // a lease that was already in use was given up as though it had never been used, and nothing took its place
        @Test
        void anErrorWhereCallersAreWokenPasses() {
            openAndRunFor(Duration.ofMinutes(2));
            process.machine.stepClock(Duration.ofSeconds(5));
            process.atKeepersNextUnpark = new OutOfMemoryError("planted");
            Actor.Call unused = process.startCall();
            stage.until("the error", () -> process.atKeepersNextUnpark == null);
            process.wire.throwInsteadOf(Kind.CLAIM, ALWAYS, new CoordinatorException("planted", false));
            stage.sleep(Duration.ofMinutes(3));

            process.issueFor(Duration.ofMinutes(1));
        }
    }
}
