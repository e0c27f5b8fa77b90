// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.time.Duration;
import java.util.function.Supplier;
import org.snowflakeid.Platform;
import org.snowflakeid.config.Settings;
import org.snowflakeid.records.OwnerEntry;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.WorkerCoordinator;

/** Reads a few of the worker ids this generator may claim, or all of them. */
public final class SlotReader {

    /** Few enough for one cheap read; enough to hold a free one in most namespaces. */
    private static final int PAGE = 30;

    private final int from;
    private final int to;
    private final WorkerCoordinator coordinator;
    private final Platform platform;
    private final Supplier<Duration> timeout;

    public SlotReader(Settings settings, WorkerCoordinator coordinator, Platform platform, Supplier<Duration> timeout) {
        this.from = settings.minWorkerId();
        this.to = settings.maxWorkerId();
        this.coordinator = coordinator;
        this.platform = platform;
        this.timeout = timeout;
    }

    /** Some neighbouring worker ids, at a random place. */
    public Snapshot page() {
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

    /**
     * A {@link #page} by which a clock can be judged, with the coordinator's time or {@code peers} live peers; else all worker ids. All are read only
     * if it has neither: that costs as much as ten claims, and a thousand starts at once would keep a coordinator too busy to report its time.
     */
    public Snapshot pageWithReference(int peers) {
        Snapshot page = page();
        boolean enough = page.serverTime() != null || isAll(page) || live(page) >= peers;
        return enough ? page : all();
    }

    /** Worker ids of this process are no reference. */
    private long live(Snapshot page) {
        return page.slots().stream()
                .filter(slot -> slot.mark() != null && slot.owner() != null && !OwnerEntry.isOf(platform, slot.owner()))
                .count();
    }

    boolean isAll(Snapshot snapshot) {
        return snapshot.slots().size() == to - from + 1;
    }

    Duration timeout() {
        return timeout.get();
    }
}
