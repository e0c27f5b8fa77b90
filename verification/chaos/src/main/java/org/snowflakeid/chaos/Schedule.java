// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.snowflakeid.chaos.Fault.Kind;
import org.snowflakeid.chaos.Fault.Target;

/** Which faults happen when. All of it follows from the seed and the sizes. */
record Schedule(long seed, Duration length, List<Fault> faults) {

    /** What is there to be hurt. */
    record Sizes(int workers, int workerIds, int members) {}

    /** How often which kind is drawn, of their sum. */
    private static final Map<Kind, Integer> WEIGHTS = new EnumMap<>(Map.ofEntries(
            Map.entry(Kind.HOLD_REPLIES, 170),
            Map.entry(Kind.CUT_CONNECTIONS, 160),
            Map.entry(Kind.STEP_CLOCK, 160),
            Map.entry(Kind.EXPIRE_OWNER, 90),
            Map.entry(Kind.DELETE_OWNER, 80),
            Map.entry(Kind.FREEZE_CONNECTIONS, 90),
            Map.entry(Kind.FREEZE_WORKER, 120),
            Map.entry(Kind.CLOSE_WORKER, 60),
            Map.entry(Kind.KILL_WORKER, 50),
            Map.entry(Kind.FREEZE_MEMBER, 20),
            Map.entry(Kind.KILL_MEMBER, 20),
            Map.entry(Kind.RESTART_MEMBER, 15),
            Map.entry(Kind.KILL_LEADER, 15),
            Map.entry(Kind.FREEZE_LEADER, 12),
            Map.entry(Kind.FREEZE_QUORUM, 8),
            Map.entry(Kind.KILL_QUORUM, 8)));

    private static final int WEIGHT =
            WEIGHTS.values().stream().mapToInt(Integer::intValue).sum();

    private static final long YEAR_MILLIS = Duration.ofDays(365).toMillis();

    /** What a cluster needs to be whole again after a member was away. */
    private static final Duration RECOVERY = Duration.ofSeconds(3);

    static Schedule of(long seed, Duration length, Duration between, Sizes sizes) {
        return new Drawing(seed, length, between, sizes).draw();
    }

    private static final class Drawing {
        private final Random random;
        private final long seed;
        private final Duration length;
        private final Duration between;
        private final Sizes sizes;
        private final List<Fault> faults = new ArrayList<>();

        /** Until when some member is away: only the loss of the quorum takes two at a time. */
        private Duration memberAway = Duration.ZERO;

        Drawing(long seed, Duration length, Duration between, Sizes sizes) {
            this.seed = seed;
            this.length = length;
            this.between = between;
            this.sizes = sizes;
            this.random = new Random(seed);
        }

        Schedule draw() {
            Duration at = Duration.ZERO;
            while (true) {
                double factor = -Math.log(1 - random.nextDouble());
                at = at.plusMillis(20 + (long) (factor * (between.toMillis() - 20)));
                if (at.compareTo(length) >= 0) {
                    return new Schedule(seed, length, List.copyOf(faults));
                }
                Fault fault = fault(at);
                while (fault.kind().target != Target.WORKER
                        && fault.kind().target != Target.WORKER_ID
                        && at.compareTo(memberAway) < 0) {
                    fault = fault(at);
                }
                if (fault.kind().target == Target.MEMBER || fault.kind().target == Target.CLUSTER) {
                    memberAway = fault.end().plus(RECOVERY);
                }
                faults.add(fault);
            }
        }

        private Fault fault(Duration at) {
            Kind kind = sizes.members() == 1 ? ofASingleServer(kind()) : kind();
            int target =
                    switch (kind.target) {
                        case WORKER -> random.nextInt(sizes.workers());
                        case MEMBER -> random.nextInt(sizes.members());
                        case WORKER_ID -> random.nextInt(sizes.workerIds());
                        case CLUSTER ->
                            kind == Kind.FREEZE_QUORUM || kind == Kind.KILL_QUORUM
                                    ? random.nextInt(sizes.members())
                                    : -1;
                    };
            long millis =
                    switch (kind) {
                        case FREEZE_WORKER, FREEZE_MEMBER, FREEZE_LEADER -> between(1_000, 90_000);
                        case KILL_WORKER -> between(100, 10_000);
                        case CLOSE_WORKER -> between(1, 10_000);
                        case STEP_CLOCK -> between(500, 40_000);
                        case HOLD_REPLIES -> between(100, 8_000);
                        case FREEZE_CONNECTIONS -> between(500, 30_000);
                        case KILL_MEMBER, KILL_LEADER, RESTART_MEMBER -> between(500, 20_000);
                        case FREEZE_QUORUM, KILL_QUORUM -> 2_000 + random.nextInt(28_000);
                        case CUT_CONNECTIONS, EXPIRE_OWNER, DELETE_OWNER -> 0;
                    };
            long amount =
                    switch (kind) {
                        case STEP_CLOCK -> random.nextBoolean() ? between(1, YEAR_MILLIS) : -between(1, YEAR_MILLIS);
                        case HOLD_REPLIES, FREEZE_CONNECTIONS, CUT_CONNECTIONS ->
                            random.nextInt(3) > 0 ? -1 : random.nextInt(sizes.members());
                        default -> -1;
                    };
            Duration rest = length.minus(at);
            Duration lasts = Duration.ofMillis(millis);
            return new Fault(faults.size() + 1, at, lasts.compareTo(rest) > 0 ? rest : lasts, kind, target, amount);
        }

        /** It is its own leader, and no quorum. */
        private static Kind ofASingleServer(Kind drawn) {
            return switch (drawn) {
                case FREEZE_QUORUM -> Kind.FREEZE_LEADER;
                case KILL_QUORUM -> Kind.KILL_LEADER;
                default -> drawn;
            };
        }

        private Kind kind() {
            int drawn = random.nextInt(WEIGHT);
            for (Kind kind : Kind.values()) {
                drawn -= WEIGHTS.getOrDefault(kind, 0);
                if (drawn < 0) {
                    return kind;
                }
            }
            throw new AssertionError();
        }

        /** As often between 1 and 2 as between 10 and 20. */
        private long between(long least, long most) {
            return Math.round(least * Math.pow((double) most / least, random.nextDouble()));
        }
    }
}
