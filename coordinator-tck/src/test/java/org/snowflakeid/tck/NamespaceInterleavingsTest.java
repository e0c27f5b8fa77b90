// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.administration.NamespaceMove;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceRestore;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testing.MemoryStore.Fault;

/**
 * At each of its calls to a coordinator, one operator's command is interrupted by another's, or ends; then both run
 * again. Three coordinators have the same name. Between any two calls, each generator that may claim takes a span of ticks: no two of
 * these overlap, and there is always exactly one place where ids go on, or will when the last operation is repeated.
 */
class NamespaceInterleavingsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final SnowflakeSettings SETTINGS = SnowflakeSettings.of(Map.of("snowflake.worker-id-bits", "1"));

    /** From one coordinator to another, or in its place. */
    enum Operation {
        RESTORE_A(0, 0),
        A_TO_B(0, 1),
        A_TO_C(0, 2),
        RESTORE_B(1, 1),
        B_TO_A(1, 0),
        B_TO_C(1, 2),
        RESTORE_C(2, 2),
        C_TO_A(2, 0);

        final int from;
        final int to;

        Operation(int from, int to) {
            this.from = from;
            this.to = to;
        }

        static List<Operation> at(int... places) {
            return Stream.of(values())
                    .filter(operation -> IntStream.of(operation.from, operation.to)
                            .allMatch(at -> IntStream.of(places).anyMatch(place -> place == at)))
                    .toList();
        }
    }

    /** The operation before, and up to which of its calls. */
    enum Beginning {
        IN_USE_AT_A(null, 0),
        MOVED_TO_B(Operation.A_TO_B, Integer.MAX_VALUE),
        RESERVED_AT_B(Operation.A_TO_B, 6),
        RETIRED_FOR_B(Operation.A_TO_B, 8),
        IN_USE_AT_B_AND_NOT_NOTED(Operation.A_TO_B, 11),
        RETIRED_TO_BE_RESTORED(Operation.RESTORE_A, 3);

        final @Nullable Operation operation;
        final int calls;

        Beginning(@Nullable Operation operation, int calls) {
            this.operation = operation;
            this.calls = calls;
        }
    }

    /** What happens at the chosen call. */
    private enum Incident {
        THE_OTHER_OPERATES,
        ENDS_BEFORE_IT,
        ENDS_AFTER_IT
    }

    private static final class Ended extends Error {
        private static final long serialVersionUID = 1L;

        Ended() {
            super("ended", null, false, false);
        }
    }

    private record Span(String at, long from, long until) {}

    private static final class World {
        private static final long EPOCH_MILLIS =
                Instant.parse("2020-01-01T00:00:00Z").toEpochMilli();

        private final ManualPlatform platform = new ManualPlatform().callersMoveTime();
        private final List<MemoryStore> stores =
                List.of(new MemoryStore(platform), new MemoryStore(platform), new MemoryStore(platform));
        private final List<Span> granted = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private boolean observing;
        private int calls;
        private int incidentAt = Integer.MAX_VALUE;
        private Incident incident = Incident.ENDS_BEFORE_IT;
        private Runnable other = () -> {};

        /** Whether a look is two calls, the marks first, as with stores of single records. */
        private boolean looksInTwoCalls;

        private boolean betweenTwoCalls;

        /** The id of a namespace that is lost for good: no operator will finish the move to it, and it is in use nowhere. */
        private @Nullable String lost;

        World(Beginning beginning) {
            stores.forEach(store -> store.faults(this::fate));
            observing = true;
            // As a start creates it.
            raw(0).writeMeta(
                            null,
                            "id=first state=active format=1 epoch=2020-01-01T00:00:00Z worker-id-bits=1 sequence-bits=12"
                                    + " max-window=PT1M floor=0 created=2026-01-01T00:00:00Z",
                            TIMEOUT);
            observing = false;
            if (beginning.operation != null) {
                run(beginning.operation, Incident.ENDS_BEFORE_IT, beginning.calls, () -> {});
            }
        }

        /** @return how many calls it made */
        int run(Operation operation, Incident kind, int at, Runnable meanwhile) {
            calls = 0;
            incidentAt = at;
            incident = kind;
            other = meanwhile;
            String ending = "done";
            try (NamespaceAdministration old = open(operation.from);
                    NamespaceAdministration successor = open(operation.to)) {
                if (operation.from == operation.to) {
                    NamespaceRestore restore = old.prepareRestore();
                    restore.carryOut(whatIsTrueOf(restore.doubts()));
                } else {
                    NamespaceMove move = old.prepareMove(successor);
                    move.carryOut(whatIsTrueOf(move.doubts()));
                }
            } catch (SnowflakeException e) {
                ending = e.getClass().getSimpleName() + " " + e.getMessage();
            } catch (Ended e) {
                ending = "ended";
            }
            story.add(operation + ": " + ending);
            incidentAt = Integer.MAX_VALUE;
            observe();
            return calls;
        }

        /** Those doubts of a preparation that are true. */
        private Set<NamespaceDoubt> whatIsTrueOf(Map<NamespaceDoubt, String> doubts) {
            String shown = doubts.getOrDefault(NamespaceDoubt.LOST_SUCCESSOR, "");
            return lost != null && shown.contains("id " + lost) ? Set.of(NamespaceDoubt.LOST_SUCCESSOR) : Set.of();
        }

        void run(Operation operation) {
            run(operation, Incident.ENDS_BEFORE_IT, Integer.MAX_VALUE, () -> {});
        }

        private Fault fate() {
            if (observing) {
                return Fault.NONE;
            }
            observe();
            int call = calls++;
            if (call < incidentAt) {
                return Fault.NONE;
            }
            if (call > incidentAt) {
                throw new Ended();
            }
            if (incident == Incident.ENDS_AFTER_IT) {
                return Fault.REPLY_LOST;
            }
            if (incident == Incident.ENDS_BEFORE_IT) {
                throw new Ended();
            }
            incidentAt = Integer.MAX_VALUE;
            other.run();
            calls = call + 1;
            return Fault.NONE;
        }

        private NamespaceAdministration open(int store) {
            WorkerCoordinatorProvider memory = stores.get(store).provider();
            return NamespaceAdministration.open(SETTINGS, looksInTwoCalls ? marksFirst(memory) : memory, platform);
        }

        private WorkerCoordinatorProvider marksFirst(WorkerCoordinatorProvider memory) {
            return new WorkerCoordinatorProvider() {
                @Override
                public String name() {
                    return memory.name();
                }

                @Override
                public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                    return new ForwardingCoordinator(memory.open(config, lossHint)) {
                        @Override
                        public Snapshot read(int fromId, int toId, Duration timeout) {
                            Snapshot marks = super.read(fromId, toId, timeout);
                            betweenTwoCalls = !observing;
                            Snapshot later = super.read(fromId, toId, timeout);
                            betweenTwoCalls = false;
                            return new Snapshot(later.meta(), marks.slots(), later.serverTime());
                        }
                    };
                }
            };
        }

        private WorkerCoordinator raw(int store) {
            return stores.get(store)
                    .provider()
                    .open(new CoordinatorConfig("raw", "snowflake", Duration.ofMinutes(1), key -> null), () -> {});
        }

        /** Claims all it can at each coordinator, whatever the clocks show. */
        private void observe() {
            observing = true;
            for (int store = 0; store < stores.size(); store++) {
                String meta = stores.get(store).meta("snowflake");
                if (meta != null && meta.contains("state=active")) {
                    grab(store);
                }
            }
            observing = false;
        }

        private void grab(int store) {
            WorkerCoordinator raw = raw(store);
            Snapshot seen = raw.read(0, 0, TIMEOUT);
            Stored meta = seen.meta();
            Stored mark = seen.slots().get(0).mark();
            if (meta == null) {
                return;
            }
            long limit = mark == null ? 0 : number(mark.value(), "limit");
            long from = Math.max(limit, number(meta.value(), "floor"));
            long until = from + 10;
            if (betweenTwoCalls) {
                // By a clock that is ahead, and more than the window that a floor leaves above all marks.
                from = Math.max(from, platform.wallMillis() - EPOCH_MILLIS);
                until = from + 120_000;
            }
            String next = "limit=" + until + " token=" + granted.size() + " k=0 from=" + from;
            CasResult result = raw.claim(0, mark, next, "owner", true, meta, TIMEOUT);
            assertThat(result).isInstanceOf(CasResult.Applied.class);
            Span span = new Span("abc".substring(store, store + 1), from, until);
            assertThat(granted)
                    .as("%s overlaps none of these; %s", span, story)
                    .noneMatch(earlier -> earlier.from() < span.until() && span.from() < earlier.until());
            granted.add(span);
        }

        private static long number(String value, String key) {
            return Long.parseLong(value.replaceAll("^(.* )?" + key + "=(\\d+)( .*)?$", "$2"));
        }

        void requireOneWayToGoOn() {
            Map<NamespaceState, List<NamespaceReport>> reports = new EnumMap<>(NamespaceState.class);
            observing = true;
            for (int store = 0; store < stores.size(); store++) {
                try (NamespaceAdministration namespace = open(store)) {
                    NamespaceReport report = namespace.report();
                    reports.computeIfAbsent(report.state(), state -> new ArrayList<>())
                            .add(report);
                }
            }
            observing = false;
            List<NamespaceReport> reserved = reports.getOrDefault(NamespaceState.RESERVED, List.of());
            long ways = reports.getOrDefault(NamespaceState.ACTIVE, List.of()).size()
                    + reports.getOrDefault(NamespaceState.RESTORING, List.of()).size()
                    + reports.getOrDefault(NamespaceState.MOVING, List.of()).stream()
                            .filter(moving ->
                                    reserved.stream().anyMatch(to -> to.id().equals(moving.successor())))
                            .count();
            assertThat(ways).as("%s, %s", story, reports).isEqualTo(1);
        }
    }

    /** Operators only move to C, and do nothing else there. */
    private static final List<Operation> OPERATIONS = List.of(
            Operation.RESTORE_A,
            Operation.A_TO_B,
            Operation.A_TO_C,
            Operation.RESTORE_B,
            Operation.B_TO_A,
            Operation.B_TO_C);

    @ParameterizedTest
    @EnumSource
    void whateverTwoOperatorsDoThereIsOneNamespace(Beginning beginning) {
        int runs = 0;
        for (Operation first : OPERATIONS) {
            for (Operation second : OPERATIONS) {
                for (Incident incident : Incident.values()) {
                    int calls = new World(beginning).run(first, incident, Integer.MAX_VALUE, () -> {});
                    for (int at = 0; at < calls; at++) {
                        World world = new World(beginning);
                        world.run(first, incident, at, () -> world.run(second));
                        requireOneWayToGoOn(world, first, second);
                        runs++;
                    }
                }
            }
        }
        assertThat(runs).isGreaterThan(200);
    }

    // what was claimed between the two calls was below the floor of the successor, but issued all the same
    @Test
    void whateverTwoOperatorsDoWhoseLooksTakeAWhileThereIsOneNamespace() {
        List<Operation> operations = List.of(Operation.RESTORE_A, Operation.A_TO_B, Operation.A_TO_C);
        int runs = 0;
        for (Operation first : operations) {
            for (Operation second : operations) {
                int calls =
                        inUseAndLookedAtInTwoCalls().run(first, Incident.ENDS_BEFORE_IT, Integer.MAX_VALUE, () -> {});
                int othersCalls =
                        inUseAndLookedAtInTwoCalls().run(second, Incident.ENDS_BEFORE_IT, Integer.MAX_VALUE, () -> {});
                for (int at = 0; at < calls; at++) {
                    for (int end = 1; end <= othersCalls; end++) {
                        World world = inUseAndLookedAtInTwoCalls();
                        int ended = end;
                        world.run(
                                first,
                                Incident.THE_OTHER_OPERATES,
                                at,
                                () -> world.run(second, Incident.ENDS_BEFORE_IT, ended, () -> {}));
                        requireOneWayToGoOn(world, first, second);
                        runs++;
                    }
                }
            }
        }
        assertThat(runs).isGreaterThan(200);
    }

    private static World inUseAndLookedAtInTwoCalls() {
        World world = new World(Beginning.IN_USE_AT_A);
        world.looksInTwoCalls = true;
        return world;
    }

    /** B is gone for good, and an operator who is shown that accepts it. The other's command ends anywhere, too. */
    @Test
    void whateverTwoOperatorsDoAfterTheyAcceptedThatASuccessorIsLostThereIsOneNamespace() {
        List<Operation> operations = Operation.at(0, 2);
        int runs = 0;
        for (Operation first : operations) {
            for (Operation second : operations) {
                int calls = retiredForWhatIsLost().run(first, Incident.ENDS_BEFORE_IT, Integer.MAX_VALUE, () -> {});
                int othersCalls =
                        retiredForWhatIsLost().run(second, Incident.ENDS_BEFORE_IT, Integer.MAX_VALUE, () -> {});
                for (int at = 0; at < calls; at++) {
                    for (int end = 1; end <= othersCalls; end++) {
                        World world = retiredForWhatIsLost();
                        int ended = end;
                        world.run(
                                first,
                                Incident.THE_OTHER_OPERATES,
                                at,
                                () -> world.run(second, Incident.ENDS_BEFORE_IT, ended, () -> {}));
                        requireOneWayToGoOn(world, first, second);
                        runs++;
                    }
                }
            }
        }
        assertThat(runs).isGreaterThan(200);
    }

    /** Now, and whatever each of them does again. */
    private static void requireOneWayToGoOn(World world, Operation first, Operation second) {
        world.requireOneWayToGoOn();
        for (Operation again : List.of(second, first, second)) {
            world.run(again);
            world.requireOneWayToGoOn();
        }
    }

    private static World retiredForWhatIsLost() {
        World world = new World(Beginning.RETIRED_FOR_B);
        world.lost = String.valueOf(world.stores.get(1).meta("snowflake")).replaceAll("^(?:.* )?id=(\\S+).*$", "$1");
        return world;
    }

    @ParameterizedTest
    @EnumSource
    void eachBeginningIsWhatItSays(Beginning beginning) {
        World world = new World(beginning);

        String a = String.valueOf(world.stores.get(0).meta("snowflake"));
        String b = String.valueOf(world.stores.get(1).meta("snowflake"));

        String states = a.replaceAll(".*state=(\\S+).*", "$1") + " " + b.replaceAll(".*state=(\\S+).*", "$1");
        assertThat(states)
                .isEqualTo(
                        switch (beginning) {
                            case IN_USE_AT_A -> "active null";
                            case MOVED_TO_B -> "moved active";
                            case RESERVED_AT_B -> "active reserved";
                            case RETIRED_FOR_B -> "retired reserved";
                            case IN_USE_AT_B_AND_NOT_NOTED -> "retired active";
                            case RETIRED_TO_BE_RESTORED -> "retired null";
                        });
    }
}
