// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.snowflakeid.spi.Stored;

/**
 * The coordinator forgets what it had acknowledged, while ids are issued. Nothing can make that harmless to those who already hold a
 * grant; but each of them must stop at its next extension and say why, and with {@code create-fenced} a wiped coordinator starts
 * above all that was granted before. If the operator restores the namespace before anybody else reaches the coordinator, no id
 * repeats whatever was lost.
 */
final class Disaster {

    enum Kind {
        WIPE,
        OLD_BACKUP,
        MARKS_DELETED,
        META_DELETED,
        MARK_LOWERED,
        META_REPLACED
    }

    private final Simulation run;
    private final FakeStore store;

    Disaster(Simulation run) {
        this.run = run;
        store = run.store;
    }

    void play() {
        run.faults(run.random.nextInt(4));
        run.endFaults();
        run.world.sleep(Duration.ofMillis(run.random.nextInt(6000)));
        FakeStore.Backup backup = store.backup();
        run.world.sleep(Duration.ofMillis(100 + run.random.nextInt(9000)));
        Kind kind = Kind.values()[run.random.nextInt(Kind.values().length)];
        run.tally.disasters.merge(kind, 1L, Long::sum);
        run.note("DISASTER " + kind);

        List<SimulatedProcess> issuing = run.processes.stream()
                .filter(process -> process.generator() != null)
                .toList();
        boolean operated = run.random.nextBoolean();
        VirtualWorld.Machine operator = run.world.new Machine();
        if (operated) {
            store.reservedFor = operator;
        }
        strike(kind, backup);
        run.oracle.dataLost(kind == Kind.WIPE);
        boolean restored = operated && restore(operator);
        store.reservedFor = null;
        if (restored) {
            run.oracle.dataLost(true);
        }
        // A third of the window until the next extension is due; calls under way, each at most 2 s; a retry.
        run.world.sleep(run.settings.window().dividedBy(3).plusSeconds(7));
        run.oracle.requireCoveredAgain(issuing);
        if (restored) {
            awaitIdsAgain();
        }
    }

    /** The floor lies ahead; above it all goes on. */
    private void awaitIdsAgain() {
        long floor = Meta.parse(store.meta).floor();
        long ahead = floor - run.settings.layout().tickOf(run.world.trueMillis());
        run.processes.forEach(process -> process.issuedSince = 0);
        run.world.sleep(Duration.ofMillis(Math.max(0, ahead)).plusSeconds(25));
        if (run.oracle.usableSlots(run.slots) > 0
                && run.processes.stream().noneMatch(process -> process.issuedSince > 0)) {
            run.oracle.violated("nobody issues after the restore");
        }
    }

    /** Refused if the floor lies years ahead: the namespace was created by a wrong clock that nobody contradicted. */
    private boolean restore(VirtualWorld.Machine operator) {
        try (OperatedNamespace namespace = OperatedNamespace.open(run.settings, store.usedBy(operator), operator)) {
            namespace.restore().carryOut(EnumSet.allOf(NamespaceReplacement.Doubt.class));
            run.tally.restored++;
            run.note("restored: " + store.meta);
            return true;
        } catch (InvalidSettingsException floorFarAhead) {
            run.note("not restored: " + floorFarAhead.getMessage());
            return false;
        }
    }

    private void strike(Kind kind, FakeStore.Backup backup) {
        switch (kind) {
            case WIPE -> {
                store.marks.clear();
                store.owners.clear();
                store.putMeta(null);
            }
            case OLD_BACKUP -> store.restore(backup);
            case MARKS_DELETED -> store.marks.clear();
            case META_DELETED -> store.putMeta(null);
            case MARK_LOWERED -> store.marks.replaceAll((id, mark) -> lowered(mark));
            case META_REPLACED -> {
                if (store.meta != null) {
                    store.putMeta(Pairs.parse(store.meta.value())
                            .with("id", "another")
                            .toString());
                }
            }
        }
    }

    private static Stored lowered(Stored mark) {
        Pairs pairs = Pairs.parse(mark.value());
        return new Stored(pairs.with("limit", pairs.number("limit") - 1000).toString(), mark.version() + 1);
    }
}
