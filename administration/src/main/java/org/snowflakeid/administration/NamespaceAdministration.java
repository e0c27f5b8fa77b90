// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.OwnerEntry;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A namespace as its operator sees it: who holds what, and how it is replaced after its coordinator lost data, or moved
 * elsewhere. Claims nothing. For one thread at a time; every method blocks until the coordinator has answered.
 */
public final class NamespaceAdministration implements AutoCloseable {

    private final NamespacePlace place;

    /**
     * Opens the namespace that these settings name, at the coordinator they name. They must be the application's settings.
     *
     * @throws InvalidSettingsException if a setting is wrong or no single coordinator can be chosen
     */
    public static NamespaceAdministration open(SnowflakeSettings settings) {
        return open(settings, Coordinators.select(settings.values(), Coordinators.loader()), Platform.system());
    }

    /**
     * As {@link #open(SnowflakeSettings)}, with a given coordinator and clock.
     *
     * @throws InvalidSettingsException if the coordinator keeps nothing that could be operated
     */
    public static NamespaceAdministration open(
            SnowflakeSettings settings, WorkerCoordinatorProvider provider, Platform platform) {
        requireShared(settings, provider);
        return new NamespaceAdministration(new NamespacePlace(settings.values(), provider, platform));
    }

    static void requireShared(SnowflakeSettings settings, WorkerCoordinatorProvider provider) {
        if (!provider.isShared()) {
            throw new InvalidSettingsException(
                    List.of(
                            "snowflake '" + settings.generator()
                                    + "': snowflake.coordinator=static keeps nothing that could be operated. Name the coordinator to look at."));
        }
    }

    private NamespaceAdministration(NamespacePlace place) {
        this.place = place;
    }

    /**
     * What the coordinator holds now. Blocks for at most some 30 seconds, or twice as long if the record has other worker-id bits.
     *
     * @throws CoordinatorException if it can't be read
     */
    public NamespaceReport report() {
        NamespaceView view = place.view();
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
                    Optional.ofNullable(slot.owner()).map(OwnerEntry::describe)));
        }
        Optional<NamespaceRecord> meta = Optional.ofNullable(view.meta());
        return new NamespaceReport(
                place.coordinatorName(),
                place.location(),
                place.settings().namespace(),
                view.state(),
                meta.map(NamespaceRecord::id),
                meta.map(NamespaceRecord::layout),
                meta.map(m -> m.layout().instantOf(m.floor())),
                meta.map(NamespaceRecord::maxWindow),
                meta.flatMap(NamespaceRecord::movedTo),
                meta.flatMap(NamespaceRecord::successor),
                meta.flatMap(NamespaceRecord::replaces),
                Optional.ofNullable(view.serverTime()),
                Instant.ofEpochMilli(view.clockMillis()),
                workers);
    }

    /**
     * Prepares to replace this namespace in its place, after its coordinator lost data or they were edited. Nothing is written yet. Blocks as long as
     * {@link #report}.
     *
     * @throws NamespaceRefusedException if it can't be restored
     * @throws CoordinatorException if it can't be read
     */
    public NamespaceRestore prepareRestore() {
        return new NamespaceRestore(place);
    }

    /**
     * Prepares to let {@code successor} take the place of this namespace: at another coordinator, under another name, or with another layout. Nothing
     * is written yet. Blocks as long as {@link #report} for each of the two.
     *
     * @param successor to be closed by the caller, after the move
     * @throws NamespaceRefusedException if it can't be moved there
     * @throws CoordinatorException if one of the two can't be read
     */
    public NamespaceMove prepareMove(NamespaceAdministration successor) {
        return new NamespaceMove(place, successor.place);
    }

    /** Ends the connection. */
    @Override
    public void close() {
        place.close();
    }
}
