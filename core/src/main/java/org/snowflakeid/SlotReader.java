// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.util.function.Supplier;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.WorkerCoordinator;

/** Reads a few of the worker ids this generator may claim, or all of them. */
final class SlotReader {

    /** Few enough for one cheap read; enough to hold a free one in most namespaces. */
    private static final int PAGE = 30;

    private final int from;
    private final int to;
    private final WorkerCoordinator coordinator;
    private final Platform platform;
    private final Supplier<Duration> timeout;

    SlotReader(
            SnowflakeSettings settings, WorkerCoordinator coordinator, Platform platform, Supplier<Duration> timeout) {
        this.from = settings.minWorkerId();
        this.to = settings.maxWorkerId();
        this.coordinator = coordinator;
        this.platform = platform;
        this.timeout = timeout;
    }

    /** Some neighbours, anywhere. */
    Snapshot page() {
        int starts = to - from + 1 - PAGE + 1;
        if (starts <= 1) {
            return all();
        }
        int start = from + (int) Long.remainderUnsigned(platform.randomLong(), starts);
        return coordinator.read(start, start + PAGE - 1, timeout.get());
    }

    Snapshot all() {
        return coordinator.read(from, to, timeout.get());
    }

    /** Some neighbours with the coordinator's time; all, where it tells no time and peers must serve. */
    Snapshot pageWithReference() {
        Snapshot page = page();
        return page.serverTime() != null || isAll(page) ? page : all();
    }

    boolean isAll(Snapshot snapshot) {
        return snapshot.slots().size() == to - from + 1;
    }

    Duration timeout() {
        return timeout.get();
    }
}
