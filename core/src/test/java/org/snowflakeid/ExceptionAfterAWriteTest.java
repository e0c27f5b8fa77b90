// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.records.Mark;
import org.snowflakeid.spi.Stored;

/**
 * Exceptions that a write throws although it was applied: its outcome is then unknown, as after a lost answer. The mark read back is this
 * process's own if it is exactly what the process sent, and only then.
 */
class ExceptionAfterAWriteTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Actor process = stage.process();

    static Stream<Throwable> thrown() {
        return Stream.of(
                new IllegalStateException("planted"),
                new CoordinatorException("planted", false),
                new OutOfMemoryError("planted"));
    }

    @BeforeEach
    void leaveOneWorkerId() {
        stage.keys.put("snowflake.worker-ids", "0");
    }

    @AfterEach
    void assertSafe() {
        stage.assertSafe();
    }

    private void openAndRunFor(Duration duration) {
        process.open();
        stage.sleep(duration);
    }

    // a process took its own extension for another's: "the coordinator lost data", and no more ids
    @ParameterizedTest
    @MethodSource("thrown")
    void anExtensionThatWasAppliedIsAdopted(Throwable thrown) {
        openAndRunFor(Duration.ofMinutes(2));
        process.wire.throwAfter(Kind.EXTEND, 1, thrown);

        process.issueFor(Duration.ofMinutes(5));

        assertThat(process.ids().status().lastError()).isEmpty();
        assertThat(process.ids().status().ready()).isTrue();
    }

    // the same, several times in a row
    @ParameterizedTest
    @MethodSource("thrown")
    void extensionsThatWereAppliedAreAdoptedHoweverOftenTheyThrow(Throwable thrown) {
        openAndRunFor(Duration.ofMinutes(2));
        process.wire.throwAfter(Kind.EXTEND, 5, thrown);

        process.issueFor(Duration.ofMinutes(5));

        assertThat(process.ids().status().lastError()).isEmpty();
    }

    // a process did not know that its claim had succeeded, and its own owner entry kept it from its only worker id
    @ParameterizedTest
    @MethodSource("thrown")
    void aClaimThatWasAppliedIsAdopted(Throwable thrown) {
        process.wire.throwAfter(Kind.CLAIM, 1, thrown);

        process.startOpening();

        stage.within(Duration.ofSeconds(4), "open", process::isOpen);
        process.issueFor(Duration.ofMinutes(2));
    }

    // a process reported "lost data" after it had got its owner entry again
    @ParameterizedTest
    @MethodSource("thrown")
    void anOwnerEntryThatWasGotAgainIsAdopted(Throwable thrown) {
        openAndRunFor(Duration.ofMinutes(2));
        process.wire.throwAfter(Kind.CLAIM, 1, thrown);

        stage.store.expireOwners();
        process.issueFor(Duration.ofMinutes(2));

        assertThat(stage.store.owner(0)).isNotNull();
        assertThat(process.ids().status().lastError()).isEmpty();
    }

    // an exception before anything was sent must not make another's later write its own either
    @Test
    void bytesOfACopyAreForeignThoughTheyCarryTheSameToken() {
        openAndRunFor(Duration.ofMinutes(2));
        Mark shared = stage.store.mark(0);
        process.wire.throwInsteadOf(Kind.EXTEND, 1, new IllegalStateException("planted"));
        process.wire.hold(Kind.EXTEND);
        Wire.Request again = process.wire.next();
        Mark copys = Mark.next(
                shared.pairs(),
                Mark.parse(new Stored(again.value, 0)).limit(),
                shared.token(),
                shared.count() + 1,
                shared.from(),
                stage.world.trueTime().minusSeconds(1),
                SnowflakeLayout.STANDARD,
                1);
        stage.store.putMark(0, copys.value());

        again.answer(again.arrive());
        stage.sleep(Duration.ofSeconds(1));

        assertThatThrownBy(process::issue).isInstanceOf(CoordinatorRegressedException.class);
    }
}
