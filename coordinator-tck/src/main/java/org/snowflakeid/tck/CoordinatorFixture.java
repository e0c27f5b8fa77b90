// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.snowflakeid.Platform;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** What a coordinator's tests bring along: a server, and the faults it can suffer. The contracts bring the rest. */
public interface CoordinatorFixture {

    /** The coordinator under test, as an application would use it. */
    WorkerCoordinatorProvider provider();

    /** Its keys, such as {@code snowflake.etcd.endpoints}. */
    Map<String, String> settings();

    /** The shortest span the server can measure. Owners live for three of them, a window is three of them or more. */
    default Duration unit() {
        return Duration.ofSeconds(1);
    }

    /** Whether the server has a clock of its own that the coordinator tells of; false where it runs on the same machine anyway. */
    default boolean tellsTime() {
        return true;
    }

    /** What generators run on; {@link Platform#system()} wherever the server lives by real time. */
    default Platform platform() {
        return Platform.system();
    }

    /**
     * As though the process of {@code coordinator}, one that {@link #provider()} opened, were killed: no farewell reaches the
     * server. The contract makes no further call to it.
     */
    void crash(WorkerCoordinator coordinator) throws Exception;

    /**
     * From now on no process reaches the server with {@code namespace}. A black hole: requests, or the answers to them, vanish, in connections
     * that exist as well as in those that are being made. Nothing is refused and nothing is closed, so that a call without a deadline of its
     * own would never end.
     */
    void disconnect(String namespace) throws Exception;

    /** Ends {@link #disconnect}. Harmless without one. */
    void reconnect(String namespace) throws Exception;

    /** Lets time pass, for the server and for {@link #platform()}. */
    default void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Whether {@code condition} comes true before {@code atMost} has passed. */
    default boolean comesTrue(Duration atMost, BooleanSupplier condition) {
        Duration step = unit().dividedBy(5);
        for (Duration left = atMost; !left.isNegative(); left = left.minus(step)) {
            if (condition.getAsBoolean()) {
                return true;
            }
            pass(step);
        }
        return condition.getAsBoolean();
    }
}
