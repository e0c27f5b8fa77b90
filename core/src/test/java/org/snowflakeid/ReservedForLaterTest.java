// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.Stage.Actor;

/** Worker ids that are claimed, but can't be used yet: a process was granted their next seconds, and ended without giving them back. */
class ReservedForLaterTest {

    /** The start looks every one to three seconds, and each look takes a few milliseconds. */
    private static final Duration SOON = Duration.ofMillis(3200);

    private Actor opened(Stage stage) {
        Actor process = stage.process();
        process.open();
        return process;
    }

    private void crashWithoutOwner(Stage stage, Actor process) {
        process.crash();
        stage.store.expireOwners();
    }

    // a process that had reserved a worker id for later looked for no other: starts failed beside free worker ids
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aStartTakesOneThatCanBeUsedSooner(long seed) {
        Stage stage = Stage.ofDefaults(seed);
        stage.keys.put("snowflake.worker-ids", "0-1");
        Actor first = opened(stage);
        Actor second = opened(stage);
        stage.sleep(Duration.ofMinutes(2));
        int reserved = first.workerId();
        crashWithoutOwner(stage, first);
        stage.sleep(Duration.ofMillis(500));
        Actor late = stage.process();
        late.startOpening();
        stage.until("reserved", () -> stage.store.owner(reserved) != null);
        stage.sleep(Duration.ofSeconds(3));
        assertThat(late.isDecided()).isFalse();
        int sooner = second.workerId();

        second.close();

        stage.within(SOON, "open", late::isOpen);
        assertThat(late.workerId()).isEqualTo(sooner);
        stage.within(Duration.ofSeconds(1), "given back", () -> stage.store.owner(reserved) == null);
        late.issueFor(Duration.ofMinutes(2));
        stage.assertSafe();
    }

    /** One that others have taken over, whose window ends long before what it has reserved begins. */
    private Actor withoutIdsUntilLater(Stage stage, Actor crashing) {
        Actor process = opened(stage);
        stage.sleep(Duration.ofMinutes(2));
        process.wire.cut = true;
        stage.sleep(Duration.ofSeconds(35));
        stage.store.takeOver(process.workerId(), 60_000);
        crashWithoutOwner(stage, crashing);
        stage.sleep(Duration.ofMillis(500));
        process.wire.cut = false;
        stage.until("no ids", () -> process.ids().status().state() == State.SUSPENDED);
        return process;
    }

    // the generator reported "ids again", and that the coordinator did not answer; neither was true
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aGeneratorSaysWhatItWaitsForAndWhenItHasIdsAgain(long seed) {
        Stage stage = Stage.ofDefaults(seed);
        stage.keys.put("snowflake.worker-ids", "0-1");
        Actor crashing = opened(stage);
        try (LogLines log = new LogLines()) {
            Actor process = withoutIdsUntilLater(stage, crashing);
            stage.sleep(Duration.ofSeconds(2));

            assertThat(process.ids().status().lastError().orElse("")).contains("is reserved, but usable only from");
            assertThat(process.startCall().awaitFailure())
                    .hasMessageContaining("is reserved, but usable only from")
                    .hasMessageNotContaining("has not answered");
            assertThat(log.all())
                    .anyMatch(line -> line.contains("used up, no ids: worker id") && line.contains("is reserved"))
                    .noneMatch(line -> line.contains("ids again"));

            stage.until("active", () -> process.ids().status().state() == State.ACTIVE);
            process.issue();
            stage.sleep(Duration.ofSeconds(1));
            assertThat(log.all()).anyMatch(line -> line.contains("ids again"));
            assertThat(process.ids().status().lastError()).isEmpty();
            process.issueFor(Duration.ofMinutes(2));
        }
        stage.assertSafe();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aGeneratorTakesOneThatCanBeUsedSooner(long seed) {
        Stage stage = Stage.ofDefaults(seed);
        stage.keys.put("snowflake.worker-ids", "0-2");
        Actor crashing = opened(stage);
        Actor closing = opened(stage);
        Actor process = withoutIdsUntilLater(stage, crashing);

        closing.close();

        stage.within(SOON, "ids", () -> process.ids().status().state() == State.ACTIVE);
        process.issueFor(Duration.ofMinutes(2));
        stage.assertSafe();
    }
}
