// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CasResult;

/** Once close() has returned, no call returns an id, whatever happened meanwhile. */
class CloseTest {

    private final VirtualWorld world = new VirtualWorld(1);
    private final FakeStore store = new FakeStore(world);
    private final VirtualWorld.Machine process = world.new Machine();
    private final Map<String, String> keys = new HashMap<>();

    private LeasedSnowflake open() {
        LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), store, process);
        world.sleep(Duration.ofSeconds(30));
        return ids;
    }

    /** Closes on an interrupted thread, as in a pool that is shut down. */
    private void closeInterrupted(LeasedSnowflake ids) {
        Thread.currentThread().interrupt();
        ids.close();
        assertThat(Thread.interrupted()).isTrue();
    }

    private void assertThatNoIdIsIssued(LeasedSnowflake ids) {
        assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);
        assertThatThrownBy(() -> ids.nextIds(3)).isInstanceOf(SnowflakeUnavailableException.class);
    }

    @Test
    void endsIdsThoughItIsInterrupted() {
        LeasedSnowflake ids = open();

        closeInterrupted(ids);

        assertThatNoIdIsIssued(ids);
        assertThat(ids.status().state()).isEqualTo(SnowflakeStatus.State.CLOSED);
        world.sleep(Duration.ofMinutes(1));
        assertThatNoIdIsIssued(ids);
    }

    @Test
    void endsTheIdsOfAllWorkersThoughItIsInterrupted() {
        keys.put("snowflake.workers", "3");
        LeasedSnowflake ids = open();

        closeInterrupted(ids);

        assertThatNoIdIsIssued(ids);
    }

    @Test
    void endsIdsThoughTheCoordinatorDoesNotAnswer() {
        LeasedSnowflake ids = open();
        store.down = true;

        closeInterrupted(ids);
        assertThatNoIdIsIssued(ids);

        ids.close();
        assertThatNoIdIsIssued(ids);
    }

    @Test
    void givesTheWorkerIdBackThoughItIsInterrupted() {
        LeasedSnowflake ids = open();
        int workerId = ids.status().workerId().orElseThrow();

        closeInterrupted(ids);
        world.sleep(Duration.ofSeconds(10));

        assertThat(store.owner(workerId)).isNull();
    }

    @Test
    void givesTheWorkerIdBackThoughTheAnswerToAnExtensionWasLost() {
        Stage stage = new Stage();
        Stage.Actor process = stage.process();
        process.open();
        process.wire.hold(Wire.Kind.EXTEND);
        Wire.Request extension = process.wire.next();
        assertThat(extension.arrive()).isInstanceOf(CasResult.Applied.class);
        process.wire.release(Wire.Kind.EXTEND);
        process.startClosing();

        extension.lose();
        process.awaitClosed();

        assertThat(stage.store.owner(0)).isNull();
        assertThat(stage.store.mark(0).token()).startsWith("free-");
        stage.assertSafe();
    }

    // the status still reported a worker id as reserved that had been given back
    @Test
    void saysNothingOfAReleaseThatIsFoundToHaveBeenApplied() {
        Stage stage = new Stage();
        Stage.Actor process = stage.process();
        process.open();
        process.wire.hold(Wire.Kind.RELEASE);
        try (LogLines log = new LogLines()) {
            process.startClosing();
            Wire.Request release = process.wire.next();
            assertThat(release.arrive()).isInstanceOf(CasResult.Applied.class);

            release.answer(release.arrive());
            process.awaitClosed();

            assertThat(log.all()).anyMatch(line -> line.contains("released worker id 0"));
            assertThat(log.all()).noneMatch(line -> line.contains("could not be released"));
        }
        stage.assertSafe();
    }

    @Test
    void endsACallThatHadReadTheClockBefore() {
        Stage stage = new Stage();
        Stage.Actor process = stage.process();
        process.open();
        stage.sleep(Duration.ofSeconds(5));
        Stage.Actor.Call call = process.startCallStoppedAtClock(Instant.ofEpochMilli(stage.world.trueMillis()));

        closeInterrupted(process.ids());
        call.goOn();

        assertThat(call.awaitFailure()).isInstanceOf(SnowflakeUnavailableException.class);
        stage.assertSafe();
    }

    @Test
    void failsAllThatWaitForAnId() {
        for (boolean interrupted : new boolean[] {false, true}) {
            keys.put("snowflake.sequence-bits", "2");
            keys.put("snowflake.namespace", "interrupted-" + interrupted);
            store.putMeta(null);
            store.marks.clear();
            LeasedSnowflake ids = open();
            List<String> afterwards = new ArrayList<>();
            int[] failed = new int[1];
            boolean[] closed = new boolean[1];
            for (int i = 0; i < 50; i++) {
                process.start("caller", () -> {
                    try {
                        while (true) {
                            long id = ids.nextId();
                            if (closed[0]) {
                                afterwards.add("an id after close() had returned: " + id);
                            }
                        }
                    } catch (SnowflakeUnavailableException e) {
                        failed[0]++;
                    }
                });
            }
            world.sleep(Duration.ofMillis(20));

            if (interrupted) {
                closeInterrupted(ids);
            } else {
                ids.close();
            }
            closed[0] = true;
            world.sleep(Duration.ofMillis(5));

            assertThat(afterwards).isEmpty();
            assertThat(failed).containsExactly(50);
        }
    }

    // the generators after the one that failed to close went on
    @Test
    void ofSeveralGeneratorsClosesEachThoughOneFails() {
        List<LeasedSnowflake> generators = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            keys.put("snowflake.namespace", "number-" + i);
            generators.add(LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), new FakeStore(world), process));
        }

        assertThatThrownBy(() -> LeasedSnowflake.closeAll(Arrays.asList(generators.get(0), null, generators.get(1))))
                .isInstanceOf(NullPointerException.class);

        generators.forEach(this::assertThatNoIdIsIssued);
    }

    // five generators whose coordinator does not answer took 24 s of a pod's grace period
    @Test
    void ofSeveralGeneratorsTakesAsLongAsOfOne() {
        List<LeasedSnowflake> generators = new ArrayList<>();
        List<FakeStore> stores = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            keys.put("snowflake.namespace", "number-" + i);
            stores.add(new FakeStore(world));
            generators.add(LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), stores.get(i), process));
        }
        world.sleep(Duration.ofSeconds(30));
        stores.forEach(each -> each.down = true);
        Instant began = world.trueTime();

        LeasedSnowflake.closeAll(generators);

        assertThat(Duration.between(began, world.trueTime())).isLessThan(Duration.ofSeconds(10));
        generators.forEach(this::assertThatNoIdIsIssued);
    }
}
