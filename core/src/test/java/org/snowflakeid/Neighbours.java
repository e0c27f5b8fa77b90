// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Several generators of one process on one connection, each in a namespace of its own. Trouble in one namespace does not affect the others:
 * a generator whose coordinator answers refuses no id, on a shared connection as on one of its own. Some runs give each its own connection,
 * to show that the requirement can be met.
 */
final class Neighbours {

    enum Kind {
        /** The records of all namespaces but one are locked: no write of them is answered. */
        LOCKED,
        /** As {@link #LOCKED}, each with a connection of its own. */
        LOCKED_APART,
        /** Every request takes a third of a second. */
        SLOW,
        /** As {@link #SLOW}, each with a connection of its own. */
        SLOW_APART;

        private boolean isApart() {
            return this == LOCKED_APART || this == SLOW_APART;
        }

        private boolean isSlow() {
            return this == SLOW || this == SLOW_APART;
        }
    }

    private static final Duration LATENCY = Duration.ofMillis(350);

    private static final int MOST = 8;

    private static final Duration LONGEST_START = Duration.ofMinutes(10);

    private final Simulation run;
    private final Random random;
    private final Kind kind;
    private final Machine machine;
    private final List<FakeStore> stores = new ArrayList<>();
    private final List<LeasedSnowflake> generators = new ArrayList<>();
    private int opening;
    private int closing;
    private boolean over;

    Neighbours(Simulation run, Random random) {
        this.run = run;
        this.random = random;
        machine = run.world.new Machine();
        boolean slow = run.simulated.window.toSeconds() >= 12 && run.simulated.workers == 1 && random.nextBoolean();
        boolean apart = random.nextInt(4) == 0;
        kind = slow ? (apart ? Kind.SLOW_APART : Kind.SLOW) : apart ? Kind.LOCKED_APART : Kind.LOCKED;
    }

    void play() {
        run.tally.count(kind);
        int count = 4 + random.nextInt(MOST - 3);
        run.note("NEIGHBOURS " + kind + ", " + count);
        Object connection = new Object();
        for (int i = 0; i < count; i++) {
            stores.add(run.newStore());
            open(stores.get(i), kind.isApart() ? null : connection);
            await(() -> opening == 0);
        }
        if (generators.size() == count) {
            stores.subList(kind.isSlow() ? 0 : 1, count).forEach(this::strike);
            generators.subList(0, kind.isSlow() ? count : 1).forEach(this::use);
            run.world.sleep(run.simulated.window.multipliedBy(4));
        } else {
            run.oracle.violated(count - generators.size() + " generators could not start beside others");
        }
        over = true;
        stores.forEach(store -> {
            store.locked = false;
            store.latency = Duration.ZERO;
        });
        closing = generators.size();
        generators.forEach(generator -> start(() -> {
            generator.close();
            closing--;
        }));
        await(() -> closing == 0);
        machine.crash();
    }

    private void await(BooleanSupplier done) {
        for (long waited = 0; !done.getAsBoolean() && waited < LONGEST_START.toMillis(); waited += 100) {
            run.world.sleep(Duration.ofMillis(100));
        }
    }

    private void start(Runnable work) {
        Thread unused = machine.start("neighbour", work);
    }

    private void open(FakeStore store, @Nullable Object connection) {
        opening++;
        start(() -> {
            try {
                generators.add(
                        LeasedSnowflake.open(run.simulated.of("snowflake"), provider(store, connection), machine));
            } catch (SnowflakeException e) {
                run.note("not opened: " + e.getMessage());
            } finally {
                opening--;
            }
        });
    }

    private WorkerCoordinatorProvider provider(FakeStore store, @Nullable Object connection) {
        return new WorkerCoordinatorProvider() {
            @Override
            public String name() {
                return store.name();
            }

            @Override
            public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                return new ForwardingCoordinator(store.usedBy(machine).open(config, lossHint)) {
                    @Override
                    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
                        return forwarded().extendAll(extensions, meta, timeout);
                    }

                    @Override
                    public @Nullable Object connection() {
                        return connection;
                    }
                };
            }
        };
    }

    private void strike(FakeStore store) {
        if (kind.isSlow()) {
            store.latency = LATENCY;
        } else {
            store.locked = true;
        }
    }

    private void use(LeasedSnowflake generator) {
        int number = generators.indexOf(generator);
        start(() -> {
            while (!over) {
                try {
                    long unused = generator.nextId();
                } catch (SnowflakeException e) {
                    run.oracle.violated("neighbour " + number + " of " + generators.size() + " is refused an id ("
                            + kind + "), though its coordinator answers: " + e.getMessage());
                    return;
                }
                machine.sleep(Duration.ofMillis(20 + random.nextInt(500)));
            }
        });
    }
}
