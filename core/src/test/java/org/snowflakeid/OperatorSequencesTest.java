// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.administration.NamespaceMove;
import org.snowflakeid.administration.NamespaceRefusedException;
import org.snowflakeid.administration.NamespaceRestore;
import org.snowflakeid.administration.NamespaceUnfinishedException;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * Two operators in a hurry restore and move, again, back, elsewhere, at the same time, and give up at any moment, while requests
 * and answers are late, lost or repeated. Three coordinators have the same name. The operators accept no doubt that would be false.
 *
 * <p>Meanwhile a process claims what it can, wherever it can, with no regard for any clock. No two grants may overlap.
 */
class OperatorSequencesTest {

    private static final int SEEDS = Integer.getInteger("snowflake.operators", 300);
    private static final String NAMES = "abc";
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** True here: no mark is edited, and no clock is wrong. */
    private static final Set<NamespaceDoubt> HARMLESS =
            EnumSet.of(NamespaceDoubt.FAR_AHEAD_MARKS, NamespaceDoubt.UNREADABLE_MARKS);

    /** The id of a successor that will never exist: some namespaces are retired for it. */
    private static final String GONE = "gone-for-good";

    private static final SnowflakeSettings SETTINGS = SnowflakeSettings.of(Map.of("snowflake.worker-id-bits", "1"));

    /** The results of all runs. */
    private static final class Tally {
        final Map<String, Integer> endings = new TreeMap<>();
        final Map<NamespaceState, Integer> states = new EnumMap<>(NamespaceState.class);
        int grants;
    }

    private static final class Run {
        final VirtualWorld world;
        final Random random;
        final List<FakeStore> stores = new ArrayList<>();
        final Grants grants = new Grants();
        final Tally tally;
        final List<String> story = new ArrayList<>();
        boolean over;
        int working;

        Run(long seed, Tally tally) {
            this.world = new VirtualWorld(seed);
            this.random = new Random(seed);
            this.tally = tally;
            for (int i = 0; i < NAMES.length(); i++) {
                String name = NAMES.substring(i, i + 1);
                FakeStore store = new FakeStore(world);
                store.observer = (writer, id, before, after) -> grants.write(name, id, before, after);
                store.mishapsOneIn = random.nextBoolean() ? 0 : 4 + random.nextInt(20);
                stores.add(store);
            }
            String first = NamespaceRecord.create(
                    "first", SETTINGS.layout(), SETTINGS.window(), 0, Instant.ofEpochMilli(world.trueMillis()));
            boolean successorLost = seed % 4 == 3;
            stores.get(0)
                    .putMeta(
                            successorLost
                                    ? NamespaceRecord.parse(new Stored(first, 0))
                                            .retired("fake:snowflake", GONE)
                                    : first);
        }

        Run play() {
            startProcess();
            startOperator();
            startOperator();
            while (working > 0) {
                world.sleep(Duration.ofSeconds(1));
            }
            // Late requests arrive meanwhile.
            world.sleep(Duration.ofSeconds(41));
            over = true;
            world.sleep(Duration.ofMinutes(1));
            return this;
        }

        private void startOperator() {
            working++;
            Thread unused = world.new Machine().start("operator", () -> {
                for (int i = 2 + random.nextInt(4); i > 0; i--) {
                    operate();
                }
                working--;
            });
        }

        /** Carries out one operation in a process of its own, which may end at any moment. */
        private void operate() {
            int from = random.nextInt(stores.size());
            for (int tries = 3; tries > 0 && stores.get(from).meta == null; tries--) {
                from = random.nextInt(stores.size());
            }
            int to = random.nextInt(stores.size());
            String kind = from == to ? "restore" : "move";
            String[] ending = {""};
            VirtualWorld.Machine machine = world.new Machine();
            FakeStore old = stores.get(from);
            FakeStore successor = stores.get(to);
            Thread operation = machine.start("operation", () -> {
                ending[0] = "given up";
                ending[0] = carryOut(machine, old, successor);
            });
            if (random.nextInt(3) == 0) {
                world.later(Duration.ofMillis(1 + random.nextInt(20)), () -> {
                    machine.crash();
                });
            }
            while (operation.isAlive() && !machine.isCrashed()) {
                world.sleep(Duration.ofMillis(1));
            }
            story.add(kind + " " + NAMES.charAt(from) + NAMES.charAt(to) + ": " + ending[0]);
            tally.endings.merge(kind + ": " + ending[0], 1, Integer::sum);
        }

        private String carryOut(VirtualWorld.Machine machine, FakeStore from, FakeStore to) {
            try (NamespaceAdministration old = NamespaceAdministration.open(SETTINGS, from.usedBy(machine), machine);
                    NamespaceAdministration successor =
                            NamespaceAdministration.open(SETTINGS, to.usedBy(machine), machine)) {
                if (from == to) {
                    NamespaceRestore restore = old.prepareRestore();
                    restore.carryOut(whatIsTrueOf(restore.doubts()));
                } else {
                    NamespaceMove move = old.prepareMove(successor);
                    move.carryOut(whatIsTrueOf(move.doubts()));
                }
                return "done";
            } catch (NamespaceRefusedException refused) {
                return refused.reason().name();
            } catch (NamespaceUnfinishedException unfinished) {
                return "unfinished";
            } catch (CoordinatorException failed) {
                return "failed";
            }
        }

        /** The doubts that are true, of those shown to the operator. */
        private static Set<NamespaceDoubt> whatIsTrueOf(Map<NamespaceDoubt, String> doubts) {
            Set<NamespaceDoubt> accepted = EnumSet.copyOf(HARMLESS);
            if (doubts.getOrDefault(NamespaceDoubt.LOST_SUCCESSOR, "").contains(GONE)) {
                accepted.add(NamespaceDoubt.LOST_SUCCESSOR);
            }
            return accepted;
        }

        private void startProcess() {
            VirtualWorld.Machine machine = world.new Machine();
            Thread unused = machine.start("process", () -> {
                List<WorkerCoordinator> coordinators = stores.stream()
                        .map(store -> store.open(
                                new CoordinatorConfig("raw", "snowflake", Duration.ofMinutes(1), key -> null),
                                () -> {}))
                        .toList();
                while (!over) {
                    grab(coordinators.get(random.nextInt(stores.size())));
                    world.sleep(Duration.ofMillis(random.nextInt(500)));
                }
            });
        }

        /** Claims from the first tick allowed, however far ahead that is. */
        private void grab(WorkerCoordinator coordinator) {
            Snapshot seen = coordinator.read(0, 0, TIMEOUT);
            Stored stored = seen.meta();
            NamespaceRecord meta = stored == null ? null : NamespaceRecord.parse(stored);
            if (meta == null || !meta.active()) {
                return;
            }
            Slot slot = seen.slots().get(0);
            Mark before = slot.mark() == null ? null : Mark.parse(slot.mark());
            long from = Math.max(meta.floor(), before == null ? 0 : before.limit());
            from = Math.max(from, SETTINGS.layout().tickOf(world.trueMillis()));
            Mark mark = Mark.next(
                    before == null ? RecordLine.NONE : before.pairs(),
                    from + 100,
                    Long.toHexString(random.nextLong()),
                    0,
                    from,
                    world.trueTime(),
                    SETTINGS.layout(),
                    random.nextLong());
            coordinator.claim(0, slot.mark(), mark.value(), "another", true, meta.stored(), TIMEOUT);
            tally.grants++;
        }

        private Optional<NamespaceRecord> meta(FakeStore store) {
            return Optional.ofNullable(store.meta).map(NamespaceRecord::parse);
        }

        /** At how many places ids go on, or would if the same operation were repeated. */
        private long waysToGoOn() {
            return stores.stream()
                    .flatMap(store -> meta(store).stream())
                    .filter(meta -> switch (meta.state()) {
                        case ACTIVE, RESTORING -> true;
                        case MOVING ->
                            meta.successor().filter(GONE::equals).isPresent()
                                    || stores.stream()
                                            .flatMap(store -> meta(store).stream())
                                            .anyMatch(to -> to.state() == NamespaceState.RESERVED
                                                    && meta.successor()
                                                            .filter(to.id()::equals)
                                                            .isPresent());
                        default -> false;
                    })
                    .count();
        }

        void requireSafe(long seed) {
            assertThat(grants.violations()).as("seed %d: %s", seed, story).isEmpty();
            assertThat(waysToGoOn())
                    .as(
                            "seed %d: %s, %s",
                            seed, story, stores.stream().map(s -> s.meta).toList())
                    .isEqualTo(1);
            stores.forEach(store -> meta(store).ifPresent(meta -> tally.states.merge(meta.state(), 1, Integer::sum)));
        }
    }

    @Test
    void neverLetsTwoNamespacesGrantTheSame() {
        Tally tally = new Tally();
        for (long seed = 0; seed < SEEDS; seed++) {
            new Run(seed, tally).play().requireSafe(seed);
        }
        assertThat(tally.grants).isGreaterThan(20 * SEEDS);
        assertThat(tally.endings.get("move: done")).isGreaterThan(SEEDS / 4);
        assertThat(tally.endings.get("restore: done")).isGreaterThan(SEEDS / 8);
        assertThat(tally.endings)
                .containsKeys("move: given up", "move: unfinished", "move: MOVED", "move: DOUBT", "restore: MOVED");
    }
}
