// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A namespace as its operator sees it: who holds what, and how it is replaced after its coordinator lost data, or moved
 * elsewhere. Claims nothing. For one thread at a time.
 */
public final class OperatedNamespace implements AutoCloseable {

    /** An operator waits rather than wonders, and 2^20 worker ids take a while. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

    private static final int WRITE_ATTEMPTS = 6;

    private final SnowflakeSettings settings;
    private final Platform platform;
    private final String coordinatorName;
    private final WorkerCoordinator coordinator;

    /**
     * The namespace that these settings name, at the coordinator they name. They are those of the application.
     *
     * @throws InvalidSettingsException if a setting is wrong or no single coordinator can be chosen
     */
    public static OperatedNamespace open(SnowflakeSettings settings) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return open(
                settings,
                Coordinators.select(settings, loader != null ? loader : OperatedNamespace.class.getClassLoader()),
                Platform.system());
    }

    /** As {@link #open(SnowflakeSettings)}, with a given coordinator and clock. */
    public static OperatedNamespace open(
            SnowflakeSettings settings, WorkerCoordinatorProvider provider, Platform platform) {
        return new OperatedNamespace(settings, provider, platform);
    }

    private OperatedNamespace(SnowflakeSettings settings, WorkerCoordinatorProvider provider, Platform platform) {
        if (provider instanceof StaticCoordinatorProvider) {
            throw new InvalidSettingsException(
                    List.of(
                            "snowflake '" + settings.generator()
                                    + "': snowflake.coordinator=static keeps nothing that could be operated. Name the coordinator to look at."));
        }
        this.settings = settings;
        this.platform = platform;
        this.coordinatorName = provider.name();
        this.coordinator = provider.open(
                new CoordinatorConfig(settings.generator(), settings.namespace(), settings.window(), settings.lookup()),
                () -> {});
    }

    /**
     * What stands in the coordinator now.
     *
     * @throws CoordinatorException if it can't be read
     */
    public NamespaceReport report() {
        View view = view();
        List<NamespaceReport.Worker> workers = new ArrayList<>();
        for (Slot slot : view.slots()) {
            if (slot.mark() == null && slot.owner() == null) {
                continue;
            }
            Mark mark = view.mark(slot);
            workers.add(new NamespaceReport.Worker(
                    slot.workerId(),
                    Optional.ofNullable(mark).map(m -> view.layout().instantOf(m.limit())),
                    slot.mark() != null && mark == null,
                    Optional.ofNullable(slot.owner()).map(Owner::describe)));
        }
        Meta meta = view.meta();
        return new NamespaceReport(
                coordinatorName,
                settings.namespace(),
                view.state(),
                Optional.ofNullable(meta).map(Meta::id),
                Optional.ofNullable(meta).map(Meta::layout),
                Optional.ofNullable(meta).map(m -> m.layout().instantOf(m.floor())),
                Optional.ofNullable(meta).map(Meta::maxWindow),
                Optional.ofNullable(meta).flatMap(Meta::movedTo),
                Optional.ofNullable(view.serverTime()),
                Instant.ofEpochMilli(view.clockMillis()),
                workers);
    }

    /**
     * Prepares to replace this namespace in its place, after its coordinator lost data or somebody edited them. Nothing is
     * written yet.
     */
    public NamespaceReplacement restore() {
        return NamespaceReplacement.prepare(this, this);
    }

    /**
     * Prepares to let {@code successor} take the place of this namespace: at another coordinator, under another name, or with
     * another layout. Nothing is written yet.
     */
    public NamespaceReplacement moveTo(OperatedNamespace successor) {
        return NamespaceReplacement.prepare(this, successor);
    }

    /** Ends the connection. */
    @Override
    public void close() {
        coordinator.close();
    }

    // What follows is for NamespaceReplacement.

    /**
     * Everything that stands in the coordinator, read at one moment.
     *
     * @param meta null if absent or not readable
     * @param layout that of the record, or the configured one where there is none
     * @param askedMillis this machine's clock when it was asked
     * @param clockMillis this machine's clock when the answer came
     */
    record View(
            @Nullable Stored stored,
            @Nullable Meta meta,
            SnowflakeLayout layout,
            List<Slot> slots,
            @Nullable Instant serverTime,
            long askedMillis,
            long clockMillis) {

        NamespaceReport.State state() {
            if (stored == null) {
                return NamespaceReport.State.ABSENT;
            }
            if (meta == null) {
                return NamespaceReport.State.UNREADABLE;
            }
            return meta.active() ? NamespaceReport.State.ACTIVE : NamespaceReport.State.RETIRED;
        }

        /** Null if there is none or it can't be read. */
        @Nullable
        Mark mark(Slot slot) {
            try {
                return slot.mark() == null ? null : Mark.parse(slot.mark());
            } catch (IllegalArgumentException unreadable) {
                return null;
            }
        }

        List<Mark> marks() {
            List<Mark> marks = new ArrayList<>();
            for (Slot slot : slots) {
                Mark mark = mark(slot);
                if (mark != null) {
                    marks.add(mark);
                }
            }
            return marks;
        }

        List<Integer> unreadableMarks() {
            return slots.stream()
                    .filter(slot -> slot.mark() != null && mark(slot) == null)
                    .map(Slot::workerId)
                    .toList();
        }

        boolean hasMarks() {
            return slots.stream().anyMatch(slot -> slot.mark() != null);
        }

        long floor() {
            return meta == null ? 0 : meta.floor();
        }
    }

    View view() {
        long askedMillis = platform.wallMillis();
        Snapshot first = coordinator.read(0, settings.layout().maxWorkerId(), READ_TIMEOUT);
        Meta meta = meta(first);
        SnowflakeLayout layout = meta == null ? settings.layout() : meta.layout();
        Snapshot all = first;
        if (layout.maxWorkerId() != settings.layout().maxWorkerId()) {
            askedMillis = platform.wallMillis();
            all = coordinator.read(0, layout.maxWorkerId(), READ_TIMEOUT);
            meta = meta(all);
        }
        return new View(all.meta(), meta, layout, all.slots(), all.serverTime(), askedMillis, platform.wallMillis());
    }

    private static @Nullable Meta meta(Snapshot snapshot) {
        try {
            return snapshot.meta() == null ? null : Meta.parse(snapshot.meta());
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }

    /** What came of writing the namespace record: it stands now, or something else does. */
    record Written(boolean applied, @Nullable Stored standing) {}

    /**
     * Replaces exactly {@code expected}. An unknown outcome is settled by sending the same bytes again: no other write ever has
     * them, so that a rejection which shows them tells that an earlier sending was applied.
     *
     * @throws CoordinatorException if it stays unknown, or nothing could be written
     */
    Written write(@Nullable Stored expected, String next) {
        CoordinatorException last = new CoordinatorException("no attempt was made", false);
        for (int attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
            try {
                CasResult result = coordinator.writeMeta(expected, next, WRITE_TIMEOUT);
                if (result instanceof CasResult.Applied applied) {
                    return new Written(true, applied.written());
                }
                if (result instanceof CasResult.Rejected rejected) {
                    Stored standing = rejected.meta();
                    return new Written(standing != null && standing.value().equals(next), standing);
                }
                last = ((CasResult.Unknown) result).cause();
            } catch (CoordinatorException nothingChanged) {
                if (nothingChanged.permanent()) {
                    throw nothingChanged;
                }
                last = nothingChanged;
            }
            platform.park(500_000_000L);
        }
        throw last;
    }

    SnowflakeSettings settings() {
        return settings;
    }

    Platform platform() {
        return platform;
    }

    String coordinatorName() {
        return coordinatorName;
    }

    /** For messages. */
    String described() {
        return "namespace '" + settings.namespace() + "' at " + coordinatorName;
    }
}
