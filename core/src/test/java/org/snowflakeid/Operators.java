// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.administration.NamespaceMove;
import org.snowflakeid.administration.NamespaceRestore;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.Stored;

/**
 * Operators who look at namespaces, restore them and move them: also twice, to a second place, back, in the wrong order, and two operators
 * at once. Processes start again where the last of them said. Only this class uses the operator's code.
 */
final class Operators {

    /** What an operator did. */
    enum Act {
        LOOK,
        RESTORE,
        MOVE,
        MOVE_BACK,
        REFUSED
    }

    private static final int PLACES = 4;

    private final Simulation run;
    private final Random random;
    private final List<Place> places = new ArrayList<>();

    /** Where processes are to run; there are several places if operators believed so. */
    private final List<Place> used = new ArrayList<>();

    /** When a record was retired, or reserved, by its id. */
    private final Map<String, Long> retiredTicks = new HashMap<>();

    private final Set<Place> left = new LinkedHashSet<>();
    private int working;

    /** Runs whenever a namespace in use is retired. */
    Runnable retired = () -> {};

    Operators(Simulation run) {
        this.run = run;
        random = run.random;
        places.add(new Place("home", run.newStore(), run.simulated.of("snowflake")));
        used.add(first());
    }

    Place first() {
        return places.get(0);
    }

    List<FakeStore> stores() {
        return places.stream().map(Place::store).toList();
    }

    Place place(SimulatedProcess process) {
        return used.get(Math.floorMod(process.name.hashCode(), used.size()));
    }

    /** Makes the other places: each has the same name at another coordinator, except one. */
    private void makePlaces() {
        while (places.size() < PLACES) {
            int number = places.size();
            places.add(new Place(
                    "place " + number, run.newStore(), run.simulated.of(number == 1 ? "elsewhere" : "snowflake")));
        }
    }

    /**
     * A few acts of one operator or two, while processes go on.
     *
     * @param mishapsOneIn meanwhile one in this many requests is lost, late or repeated, at any place; 0: none
     */
    void work(int mishapsOneIn) {
        makePlaces();
        stores().forEach(store -> store.mishapsOneIn = mishapsOneIn);
        for (int operators = 1 + random.nextInt(3) / 2; operators > 0; operators--) {
            Machine machine = run.world.new Machine();
            working++;
            Thread unused = machine.start("operator", () -> {
                try {
                    workAlone(machine);
                } catch (RuntimeException e) {
                    run.oracle.violated("an operator's work ended with " + e);
                } finally {
                    working--;
                }
            });
        }
        if (mishapsOneIn > 0) {
            run.processes.forEach(Operators::startAgain);
        }
        while (working > 0) {
            run.world.sleep(Duration.ofMillis(500));
            if (random.nextBoolean()) {
                startAgain(run.processes.get(random.nextInt(run.processes.size())));
            }
        }
        // From here on every request is answered: a call waits for ids for a bounded time.
        stores().forEach(store -> store.mishapsOneIn = 0);
        run.processes.stream().filter(process -> !process.isForgotten).forEach(SimulatedProcess::closeSoon);
    }

    private void workAlone(Machine machine) {
        Place last = used.get(0);
        if (isClaimLate(last.store())) {
            replace(machine, last);
        }
        for (int acts = 1 + random.nextInt(4); acts > 0; acts--) {
            last = actAtRandom(machine, last);
            run.world.sleep(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 100 : 8000)));
        }
    }

    /** Leaves a process alone that is starting: it issues once it has started. */
    private static void startAgain(SimulatedProcess process) {
        if (process.generator() != null && !process.isForgotten) {
            process.closeSoon();
        }
    }

    /**
     * Waits until a claim is under way whose sender does not know what became of it, if there comes one. That is the moment to replace the
     * namespace: for a while after that no process claims, until the floor has passed.
     */
    private boolean isClaimLate(FakeStore store) {
        int looks = store.mishapsOneIn > 0 ? 300 : 0;
        while (looks > 0 && store.lateClaims == 0) {
            run.world.sleep(Duration.ofMillis(20));
            looks--;
        }
        return store.lateClaims > 0;
    }

    private void replace(Machine machine, Place place) {
        if (random.nextBoolean()) {
            restore(machine, place);
        } else {
            move(machine, place, places.get(random.nextInt(places.size())));
        }
    }

    private Place actAtRandom(Machine machine, Place last) {
        Place from = random.nextBoolean() ? last : places.get(random.nextInt(places.size()));
        switch (random.nextInt(6)) {
            case 0 -> look(machine, from);
            case 1 -> restore(machine, from);
            default -> move(machine, from, places.get(random.nextInt(places.size())));
        }
        return from;
    }

    private void look(Machine machine, Place at) {
        try (NamespaceAdministration namespace = open(machine, at)) {
            run.note("an operator looks at " + at.name() + ": " + namespace.report());
            run.tally.count(Act.LOOK);
        } catch (SnowflakeException e) {
            refused("look", at, e);
        }
    }

    /**
     * @return whether it was not refused: it is if the floor lies years ahead, since it was made by a wrong clock that no other
     * contradicted
     */
    boolean restore(Machine machine, Place at) {
        try (NamespaceAdministration namespace = open(machine, at)) {
            NamespaceRestore restore = namespace.prepareRestore();
            if (restore.doubts().containsKey(NamespaceDoubt.LOST_SUCCESSOR)) {
                awaitEndOfEarlierWork();
                restore = namespace.prepareRestore();
            }
            run.operations++;
            restore.carryOut(lookInto(restore.doubts().keySet(), at));
        } catch (SnowflakeException e) {
            refused("restore", at, e);
            return false;
        }
        run.note("an operator restored " + at.name() + ": " + at.store().meta);
        succeeded(Act.RESTORE);
        return true;
    }

    /** A request that arrives late may still finish what another operator began. */
    private void awaitEndOfEarlierWork() {
        run.world.sleep(places.get(0).store().latest.plusSeconds(10));
    }

    /** Of all doubts those that are true here. An operator who accepts others has to expect that ids repeat. */
    private Set<NamespaceDoubt> lookInto(Set<NamespaceDoubt> doubts, Place at) {
        Set<NamespaceDoubt> looked = new LinkedHashSet<>();
        for (NamespaceDoubt doubt : doubts) {
            boolean harmless =
                    switch (doubt) {
                        case LOST_RECORD, UNREADABLE_RECORD -> used.contains(at);
                        case RESERVED_RECORD -> false;
                        case LOST_SUCCESSOR -> working <= 1 && !isSuccessorInUse(at);
                        case FAR_AHEAD_MARKS -> true;
                        case UNREADABLE_MARKS ->
                            run.oracle.allProcesses().stream().noneMatch(process -> process.clockTouched);
                    };
            if (harmless) {
                looked.add(doubt);
            }
        }
        return looked;
    }

    private boolean isSuccessorInUse(Place of) {
        String successor = entry(of.store().meta, "successor");
        return places.stream()
                .map(place -> place.store().meta)
                .anyMatch(meta -> "active".equals(entry(meta, "state"))
                        && successor != null
                        && (successor.equals(entry(meta, "id")) || successor.equals(entry(meta, "replaces"))));
    }

    private static @Nullable String entry(@Nullable Stored meta, String key) {
        return meta == null ? null : RecordLine.parse(meta.value()).entries().get(key);
    }

    private void move(Machine machine, Place from, Place to) {
        if (from.equals(to)) {
            return;
        }
        boolean finished;
        try (NamespaceAdministration old = open(machine, from);
                NamespaceAdministration successor = open(machine, to)) {
            NamespaceMove move = old.prepareMove(successor);
            if (move.doubts().containsKey(NamespaceDoubt.LOST_SUCCESSOR)) {
                awaitEndOfEarlierWork();
                move = old.prepareMove(successor);
            }
            finished = move.stage() == NamespaceMove.Stage.FINISHED;
            run.operations++;
            move.carryOut(lookInto(move.doubts().keySet(), from));
        } catch (SnowflakeException e) {
            refused("move", from, e);
            return;
        }
        run.note("an operator moved " + from.name() + " to " + to.name() + (finished ? " again: " : ": ")
                + to.store().meta);
        if (!finished) {
            succeeded(left.contains(to) ? Act.MOVE_BACK : Act.MOVE);
            left.add(from);
            used.remove(from);
            // Another operator may have moved it on already, and says so.
            boolean movedOn = !used.isEmpty() && !"active".equals(entry(to.store().meta, "state"));
            if (!movedOn) {
                left.remove(to);
                if (!used.contains(to)) {
                    used.add(to);
                }
            }
        }
    }

    private static NamespaceAdministration open(Machine machine, Place at) {
        return NamespaceAdministration.open(at.settings(), at.store().usedBy(machine), machine);
    }

    private void refused(String what, Place at, SnowflakeException e) {
        run.tally.count(Act.REFUSED);
        run.note("refused to " + what + " " + at.name() + ": " + e.getMessage());
    }

    // ---- what must hold for it

    private void succeeded(Act act) {
        run.tally.count(act);
        requireOneSuccessor();
    }

    /** Is called before a record is stored: an operator's may arrive long after it was sent. */
    void metaWritten(FakeStore store, Stored written) {
        String replaces = entry(written, "replaces");
        boolean wasInUse = "active".equals(entry(store.meta, "state"));
        if (!"active".equals(entry(written, "state"))) {
            String id = String.valueOf(entry(written, "id"));
            if (wasInUse) {
                retired.run();
                retiredTicks.put(id, run.trueTick());
            } else {
                retiredTicks.putIfAbsent(id, run.trueTick());
            }
        } else if (replaces != null && !(wasInUse && replaces.equals(entry(store.meta, "replaces")))) {
            requireFloor(store, store, replaces, number(written, "floor"));
            places.stream()
                    .map(Place::store)
                    .filter(other -> other != store && replaces.equals(entry(other.meta, "id")))
                    .forEach(other -> requireFloor(store, other, replaces, number(written, "floor")));
        }
    }

    /** Nothing is granted under a retired record, so the marks at that moment count, and its time. */
    private void requireFloor(FakeStore store, FakeStore replaced, String id, long floor) {
        long granted = run.oracle.ledger(replaced).highestGranted();
        long retired = retiredTicks.getOrDefault(id, 0L);
        // A mark far ahead, of a process with a wrong clock, stays where it is: its worker id is out of use.
        boolean stays = store == replaced && granted > run.trueTick() + 3_600_000;
        if (floor < retired || (floor < granted && !stays)) {
            run.oracle.violated("an operator could put the floor at " + floor + ", below what was granted: " + granted
                    + ", or below when that ended: " + retired);
        }
    }

    private static long number(@Nullable Stored meta, String key) {
        return meta == null ? -1 : RecordLine.parse(meta.value()).number(key);
    }

    private void requireOneSuccessor() {
        Set<String> replaced = new LinkedHashSet<>();
        for (Place place : places) {
            Stored meta = place.store().meta;
            if ("active".equals(entry(meta, "state"))) {
                String replaces = entry(meta, "replaces");
                if (replaces != null && !replaced.add(replaces)) {
                    run.oracle.violated("two namespaces are in use in the place of one that moved: " + replaces);
                }
            }
        }
    }

    /** Once the floor of the namespace in use has passed, a process issues. */
    void awaitIds() {
        List<Stored> usable = usable();
        if (usable.isEmpty()) {
            return;
        }
        long floor =
                usable.stream().mapToLong(meta -> number(meta, "floor")).max().orElseThrow();
        run.processes.forEach(process -> process.issuedSince = 0);
        Duration toFloor = Duration.ofMillis(Math.max(0, floor - run.trueTick()));
        run.world.sleep(toFloor.plus(run.simulated.window.multipliedBy(2)).plusSeconds(25));
        // A write that was given up, with the advice to do the same again, may have retired it meanwhile.
        boolean stillUsable = !usable().isEmpty();
        // One that is in a call that never ends has to be restarted.
        boolean anyMayIssue = run.processes.stream().anyMatch(process -> run.rim.hanging(process.machine) == 0);
        if (stillUsable && anyMayIssue && run.processes.stream().noneMatch(process -> process.issuedSince > 0)) {
            run.oracle.violated("no process issues after operators replaced the namespace");
        }
    }

    /**
     * The records of namespaces that are in use, with worker ids enough for a process. One that is only believed to be in use may be where
     * all processes run: an operator whose move had no answer goes on elsewhere, and does not know that it was carried out.
     */
    private List<Stored> usable() {
        return used.stream()
                .filter(place -> run.processes.stream().map(this::place).anyMatch(place::equals))
                .map(Place::store)
                .filter(store -> "active".equals(entry(store.meta, "state")))
                .filter(store -> run.oracle.usableIds(store) >= run.simulated.workers)
                .map(store -> store.meta)
                .toList();
    }
}
