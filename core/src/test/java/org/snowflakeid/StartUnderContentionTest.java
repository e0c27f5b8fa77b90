// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;
import org.snowflakeid.Wire.Kind;
import org.snowflakeid.Wire.Request;

/** Starts that find every worker id held, or more processes than there are worker ids for. */
class StartUnderContentionTest {

    /** The start polls every one to three seconds, and each poll takes a few milliseconds. */
    private static final Duration SOON = Duration.ofMillis(3200);

    /** They hold theirs for so long that their windows are full. */
    private List<Actor> holders(Stage stage, int count) {
        List<Actor> holders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Actor holder = stage.process();
            holder.open();
            holders.add(holder);
        }
        stage.sleep(Duration.ofMinutes(2));
        return holders;
    }

    // a start that found all ids held never looked again before the startup timeout
    @ParameterizedTest
    @CsvSource({"1, 1, 8", "2, 2, 8", "3, 2, 30", "4, 31, 8", "5, 40, 20", "6, 5, 80"})
    void aWorkerIdThatIsGivenBackIsClaimedSoon(long seed, int workerIds, long seconds) {
        Stage stage = Stage.ofDefaults(seed);
        stage.keys.put("snowflake.worker-ids", "0-" + (workerIds - 1));
        List<Actor> holders = holders(stage, workerIds);
        Actor late = stage.process();
        late.startOpening();
        stage.sleep(Duration.ofSeconds(seconds));
        assertThat(late.isDecided()).isFalse();

        holders.get(workerIds / 2).close();

        stage.within(SOON, "open", late::isOpen);
        late.issueFor(Duration.ofMinutes(1));
        stage.assertSafe();
    }

    // the same where the holder crashes
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void theWorkerIdOfACrashedHolderIsClaimedSoonAfterItsWindow(long seed) {
        Stage stage = Stage.ofDefaults(seed);
        stage.keys.put("snowflake.worker-ids", "0-1");
        List<Actor> holders = holders(stage, 2);
        Instant end = holders.get(0).ids().status().reservedUntil().orElseThrow();
        Actor late = stage.process();
        late.startOpening();
        stage.sleep(Duration.ofSeconds(2));
        holders.get(0).crash();

        // Its owner entry ends a window after its last write, or is passed over when its mark has ended by the allowed
        // skew.
        Duration window = Duration.between(stage.world.trueTime(), end.plusSeconds(10));
        stage.within(window.plus(SOON), "open", late::isOpen);

        assertThat(late.issue().timestamp()).isAfterOrEqualTo(end);
        stage.assertSafe();
    }

    // a start went on looking in a namespace that had moved, and reported at the end that all worker ids were held
    @Test
    void aNamespaceThatMovesMeanwhileEndsTheStart() {
        Stage stage = Stage.ofDefaults(1);
        stage.keys.put("snowflake.worker-ids", "0");
        holders(stage, 1);
        Actor late = stage.process();
        late.startOpening();
        stage.sleep(Duration.ofSeconds(5));
        assertThat(late.isDecided()).isFalse();

        stage.process().startMoving(new Wire(stage.world, stage.elsewhere()));

        stage.within(Duration.ofSeconds(8), "refused", late::isDecided);
        assertThat(late.awaitRefusal()).hasMessageContaining("moved to");
        stage.assertSafe();
    }

    // each of two processes held two of the three worker ids it needed, and waited for the rest until both gave up
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void oneOfTwoProcessesGetsAllItsWorkerIdsWhereThereAreTooFewForBoth(long seed) {
        Stage stage = Stage.ofDefaults(seed);
        stage.keys.put("snowflake.worker-ids", "0-3");
        stage.keys.put("snowflake.workers", "3");
        List<Actor> both = List.of(stage.process(), stage.process());
        both.forEach(Actor::startOpening);

        stage.within(Duration.ofSeconds(90), "one is open", () -> both.stream().anyMatch(Actor::isOpen));
        Actor one = both.stream().filter(Actor::isOpen).findFirst().orElseThrow();
        Actor other = both.stream().filter(p -> !p.equals(one)).findFirst().orElseThrow();
        assertThat(other.awaitRefusal()).isInstanceOf(NoFreeWorkerIdException.class);

        stage.sleep(Duration.ofSeconds(10));
        assertThat(IntStream.range(0, 4).mapToObj(stage.store::owner).filter(Objects::nonNull))
                .hasSize(3);
        assertThat(one.ids().status().workerIds()).hasSize(3);
        one.issueFor(Duration.ofMinutes(1));
        one.close();
        other.open();
        other.issueFor(Duration.ofMinutes(1));
        stage.assertSafe();
    }

    // each worker id was tried in turn, each claim until its timeout, long after the start should have ended
    @Test
    void whereReadsAreAnsweredButNoClaimIsTheStartEndsInTime() {
        Stage stage = Stage.ofDefaults(1);
        stage.keys.put("snowflake.startup-timeout", "PT90S");
        Actor process = stage.process();
        process.wire.hold(Kind.CLAIM);
        process.startOpening();

        stage.within(Duration.ofSeconds(95), "refused", process::isDecided);

        assertThat(process.awaitRefusal()).hasMessageContaining("no answer");
        stage.assertSafe();
    }

    /** With this the coordinator can prevent a late claim from blocking a worker id. */
    @Test
    void aClaimWithoutAnAnswerIsAbandoned() {
        Stage stage = Stage.ofDefaults(1);
        Actor process = stage.process();
        process.wire.hold(Kind.CLAIM);
        process.startOpening();
        Request first = process.wire.next();
        process.wire.release(Kind.CLAIM);

        process.awaitOpen();

        assertThat(process.wire.abandoned).containsExactly(first.workerId);
        stage.assertSafe();
    }
}
