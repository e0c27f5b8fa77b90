// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** What a coordinator's server keeps, in a virtual world, with the faults that no real server shows on demand. */
final class FakeStore implements WorkerCoordinatorProvider {

    final VirtualWorld world;
    final Map<Integer, Stored> marks = new HashMap<>();
    final Map<Integer, Held> owners = new HashMap<>();
    final List<String> log = new ArrayList<>();

    @Nullable
    Stored meta;

    /** Requests never arrive. */
    boolean down;

    /** The next writes are applied, but their answers are lost. */
    int repliesToLose;

    /** One of so many writes is lost, delayed or repeated, and one of so many answers is lost; 0: none. */
    int mishapsOneIn;

    /** Sees each write of a mark before it is stored. */
    @Nullable
    MarkObserver observer;

    interface MarkObserver {
        void write(int id, @Nullable Mark before, Mark after);
    }

    /** The next writes never arrive. */
    int requestsToLose;

    boolean tellsTime = true;
    int writes;
    private long version;
    private @Nullable Runnable hint;

    record Held(String value, Object holder, long expiresNanos) {}

    FakeStore(VirtualWorld world) {
        this.world = world;
    }

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        hint = lossHint;
        return new Client(config.timeToLive());
    }

    void hintLoss() {
        hint.run();
    }

    @Nullable
    String owner(int id) {
        Held held = owners.get(id);
        return held == null || held.expiresNanos() <= world.nanoTime() ? null : held.value();
    }

    Mark mark(int id) {
        return Mark.parse(marks.get(id));
    }

    void putMark(int id, String value) {
        marks.put(id, new Stored(value, ++version));
    }

    void putMeta(@Nullable String value) {
        meta = value == null ? null : new Stored(value, ++version);
    }

    private final class Client implements WorkerCoordinator {
        private final Duration timeToLive;

        Client(Duration timeToLive) {
            this.timeToLive = timeToLive;
        }

        private void travel(Duration timeout) {
            if (down) {
                world.park(timeout.toNanos());
                throw new CoordinatorException("no answer within " + timeout, false);
            }
            world.park(500_000 + world.random().nextInt(1_000_000));
        }

        private Slot slot(int id) {
            return new Slot(id, marks.get(id), owner(id));
        }

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            travel(timeout);
            List<Slot> slots = new ArrayList<>();
            for (int id = fromId; id <= toId; id++) {
                slots.add(slot(id));
            }
            Instant time = tellsTime ? world.trueTime() : null;
            return new Snapshot(meta, slots, time);
        }

        private CasResult write(Duration timeout, Supplier<CasResult> operation) {
            writes++;
            CoordinatorException lost = new CoordinatorException("no answer within " + timeout, false);
            try {
                travel(timeout);
            } catch (CoordinatorException e) {
                return new CasResult.Unknown(e);
            }
            if (requestsToLose > 0) {
                requestsToLose--;
                return new CasResult.Unknown(lost);
            }
            if (mishap()) {
                return new CasResult.Unknown(lost);
            }
            if (mishap()) {
                world.later(Duration.ofMillis(world.random().nextInt(40_000)), () -> apply(operation));
                world.park(timeout.toNanos());
                return new CasResult.Unknown(lost);
            }
            CasResult result = operation.get();
            if (mishap()) {
                world.later(Duration.ofMillis(world.random().nextInt(40_000)), () -> apply(operation));
            }
            if (mishap()) {
                world.park(timeout.toNanos());
                return new CasResult.Unknown(lost);
            }
            if (repliesToLose > 0) {
                repliesToLose--;
                return new CasResult.Unknown(lost);
            }
            return result;
        }

        private void apply(Supplier<CasResult> late) {
            CasResult nobodyHears = late.get();
            assertThat(nobodyHears).isNotNull();
        }

        private boolean mishap() {
            return mishapsOneIn > 0 && world.random().nextInt(mishapsOneIn) == 0;
        }

        private Stored put(int id, String next) {
            if (observer != null) {
                Stored before = marks.get(id);
                observer.write(id, before == null ? null : Mark.parse(before), Mark.parse(new Stored(next, 0)));
            }
            Stored stored = new Stored(next, ++version);
            marks.put(id, stored);
            return stored;
        }

        private boolean same(@Nullable Stored expected, @Nullable Stored actual) {
            return expected == null
                    ? actual == null
                    : actual != null && expected.value().equals(actual.value());
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            return write(timeout, () -> {
                if (!same(expected, meta)) {
                    return new CasResult.Rejected(meta, null);
                }
                meta = new Stored(next, ++version);
                return new CasResult.Applied(meta, false);
            });
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored expectedMeta,
                Duration timeout) {
            return write(timeout, () -> {
                if (!same(mark, marks.get(id)) || !same(expectedMeta, meta) || (owner(id) != null && !evict)) {
                    return new CasResult.Rejected(meta, slot(id));
                }
                owners.put(id, new Held(owner, this, world.nanoTime() + timeToLive.toNanos()));
                return new CasResult.Applied(put(id, next), true);
            });
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, Stored expectedMeta, Duration timeout) {
            return write(timeout, () -> {
                if (!same(mark, marks.get(id)) || !same(expectedMeta, meta)) {
                    return new CasResult.Rejected(meta, slot(id));
                }
                Stored written = put(id, next);
                Held held = owners.get(id);
                boolean ours = owner(id) != null && held.holder() == this;
                if (ours) {
                    owners.put(id, new Held(held.value(), this, world.nanoTime() + timeToLive.toNanos()));
                }
                return new CasResult.Applied(written, ours);
            });
        }

        @Override
        public CasResult release(int id, Stored mark, String next, Stored expectedMeta, Duration timeout) {
            return write(timeout, () -> {
                if (!same(mark, marks.get(id)) || !same(expectedMeta, meta)) {
                    return new CasResult.Rejected(meta, slot(id));
                }
                abandonNow(id);
                return new CasResult.Applied(put(id, next), false);
            });
        }

        private void abandonNow(int id) {
            Held held = owners.get(id);
            if (held != null && held.holder() == this) {
                owners.remove(id);
            }
        }

        @Override
        public void abandon(int id, Duration timeout) {
            world.park(1_000_000);
            if (!down) {
                abandonNow(id);
            }
        }

        @Override
        public void close() {}
    }
}
