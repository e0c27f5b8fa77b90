// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LayoutMismatchException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.config.NamespaceCreation;
import org.snowflakeid.config.Quoted;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.lease.Past;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.records.RandomToken;
import org.snowflakeid.records.Reach;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** The namespace record: joined or created at start, and compared with at every write of a mark. */
public final class Namespace {

    /** A heading of the runbook. */
    static final String OLD_DATA = "The coordinator went back to old data";

    private final Settings settings;
    private final WorkerCoordinator coordinator;
    private final Platform platform;
    private final String coordinatorName;
    private final String who;

    /** Whether it outlives this process, so that it may be lost. */
    private final boolean lasting;

    /** What was there before a checkpoint was refused; null: none was. */
    private final Past.@Nullable Known known;

    private @Nullable NamespaceRecord meta;

    /** Whether all that is known of the record was noted by a process before this one. */
    private boolean resumed;

    public Namespace(
            Settings settings,
            WorkerCoordinator coordinator,
            Platform platform,
            WorkerCoordinatorProvider provider,
            Past.@Nullable Known known) {
        this.settings = settings;
        this.known = known;
        this.coordinator = coordinator;
        this.platform = platform;
        this.lasting = !provider.onlyByName();
        this.coordinatorName = provider.name();
        this.who = "snowflake '" + settings.generator() + "': namespace '" + settings.namespace() + "' at "
                + coordinatorName;
    }

    /**
     * Accepts the record that a read at start showed, or creates or widens it.
     *
     * @return whether the record can be used now; false: it was written, here or by another process: read again
     * @throws SnowflakeException if it can't be used
     */
    public boolean join(Snapshot seen, long vettedTick, Duration timeout) {
        if (meta != null) {
            // The record may have been replaced since it was last compared.
            NamespaceRecord unused = requireOurs(seen.meta(), meta.id());
        } else if (known != null) {
            NamespaceRecord unused = requireOurs(seen.meta(), known.namespace());
            known.leastLimits().forEach((workerId, least) -> requireMark(workerId, least, timeout));
        }
        if (seen.meta() == null) {
            create(vettedTick, timeout);
            return false;
        }
        NamespaceRecord found = parse(seen.meta());
        requireSameLayout(found);
        if (!found.active()) {
            throw new CoordinatorException(who + " " + reasonNotToStart(found), true);
        }
        if (settings.window().compareTo(found.maxWindow()) > 0) {
            coordinator.writeMeta(found.stored(), found.withMaxWindow(settings.window()), timeout);
            return false;
        }
        meta = found;
        resumed = false;
        return true;
    }

    /** Uses what a process before this one noted of the record, until the coordinator can be asked. */
    public void resume(NamespaceRecord noted) {
        meta = noted;
        resumed = true;
    }

    public boolean isResumed() {
        return resumed;
    }

    private static String reasonNotToStart(NamespaceRecord found) {
        if (found.state() == NamespaceState.RESERVED) {
            return "is kept for another namespace, which is to move here. Start again when that is done.";
        }
        return "was retired: "
                + found.movedTo()
                        .map(to -> "it moved to " + to + ". Set snowflake.namespace or the coordinator to that.")
                        .orElse("it is being restored. Start again when that is done.");
    }

    private void create(long vettedTick, Duration timeout) {
        if (settings.namespaceCreation() == NamespaceCreation.REQUIRE) {
            throw new CoordinatorException(
                    who
                            + " does not exist, and snowflake.namespace-creation=require. If it never existed, start once with"
                            + " snowflake.namespace-creation=create; if it did, the coordinator lost its data: restore it, see"
                            + " \"Lost its record\" in the runbook.",
                    true);
        }
        Snapshot all = coordinator.read(0, settings.layout().maxWorkerId(), timeout);
        if (all.meta() == null && all.slots().stream().anyMatch(slot -> slot.mark() != null)) {
            throw new CoordinatorRegressedException(
                    who
                            + " has marks of worker ids but lost its record (meta). Restore it, see \"Marks without a record\" in the runbook.");
        }
        if (vettedTick < 0 || vettedTick > settings.lastTick()) {
            throw new CoordinatorException(
                    who + " can't be created: the system clock says "
                            + settings.layout().instantOf(vettedTick)
                            + ", which ids with "
                            + settings.shown(SnowflakeKeys.EPOCH) + " can't be dated. Correct the one that is wrong.",
                    false);
        }
        long floor = 0;
        if (settings.isStatic()) {
            // Nothing records how far ahead of the clock a process that has just ended issued ids.
            floor = vettedTick + settings.burst().toMillis() + 1;
        } else if (settings.namespaceCreation() == NamespaceCreation.CREATE_FENCED) {
            floor = vettedTick
                    + Reach.ofGrants(settings.window(), settings.maxSkew()).toMillis();
            requireTicksFrom(floor);
        }
        String created = NamespaceRecord.create(
                RandomToken.random(platform),
                settings.layout(),
                settings.window(),
                floor,
                Instant.ofEpochMilli(platform.wallMillis()));
        if (coordinator.writeMeta(null, created, timeout) instanceof CasResult.Applied && lasting) {
            LOG.log(
                    Level.WARNING,
                    () -> "snowflake '" + settings.generator() + "': created namespace '" + settings.namespace()
                            + "' at "
                            + coordinatorName
                            + " (first start). If it existed before, data was lost: stop, and see"
                            + " \"Replaced by another\" in the runbook. In production set snowflake.namespace-creation=require.");
        }
    }

    /** No process could read a record with a floor after the last tick. */
    private void requireTicksFrom(long floor) {
        if (floor >= settings.lastTick()) {
            throw new InvalidSettingsException(List.of(who + " can't be created with "
                    + settings.shown(SnowflakeKeys.NAMESPACE_CREATION) + ": its ids would begin at "
                    + settings.layout().instantOf(floor) + ", but the " + settings.endOfTimestamps()));
        }
    }

    public boolean isJoined() {
        return meta != null;
    }

    public NamespaceRecord meta() {
        if (meta == null) {
            throw new IllegalStateException("not joined");
        }
        return meta;
    }

    /**
     * Takes note of the record that a rejected write saw. It may have got another floor or window; a lost, replaced or retired
     * one ends this generator's claims.
     *
     * @throws CoordinatorRegressedException if it is gone or another: ids issued now could be issued again
     * @throws RetiredException if it was retired
     */
    public void noteSeen(@Nullable Stored seen) {
        meta = requireOurs(seen, meta().id());
    }

    private NamespaceRecord requireOurs(@Nullable Stored seen, String ours) {
        if (seen == null) {
            throw regressed("lost its record (meta)", "Lost its record");
        }
        NamespaceRecord found = parse(seen);
        if (found.replaces().filter(ours::equals).isPresent()) {
            throw new CoordinatorRegressedException(
                    who + " was restored by its operator: no ids are issued here any more. Restart.");
        }
        boolean byOperator = found.replaces().isPresent() || found.state() == NamespaceState.RESTORING;
        if (!found.id().equals(ours) && byOperator) {
            // As when an unreadable record was replaced, whose id was unknown.
            throw new CoordinatorRegressedException(who + " was replaced (id " + found.id() + ", was "
                    + ours
                    + "), as by an operator who restored it or moved another one here: no ids are issued here any"
                    + " more. Restart. If no operator did, the coordinator lost data: restore it before that, see"
                    + " \"Replaced by another\" in the runbook.");
        }
        if (!found.id().equals(ours)) {
            throw regressed(
                    "was replaced by another of the same name (id " + found.id() + ", was " + ours + ")",
                    "Replaced by another");
        }
        requireSameLayout(found);
        if (!found.active()) {
            throw new RetiredException(who + " was retired: "
                    + found.movedTo()
                            .map(to -> "it moved to " + to + ". Restart with the new settings.")
                            .orElse("it is being restored. Restart when that is done."));
        }
        return found;
    }

    /** For worker ids held before a refused checkpoint: no mark is ever lowered below what was issued under them. */
    private void requireMark(int workerId, long least, Duration timeout) {
        Stored mark =
                coordinator.read(workerId, workerId, timeout).slots().get(0).mark();
        if (mark == null) {
            throw regressed("lost the mark of worker id " + workerId, OLD_DATA);
        }
        if (Mark.limitOf(mark) < least) {
            throw regressed(
                    "shows for worker id " + workerId + " the mark " + Quoted.of(mark.value()) + ", though ids up to "
                            + settings.layout().instantOf(least) + " were issued by this process",
                    OLD_DATA);
        }
    }

    /** @param heading of the runbook */
    CoordinatorRegressedException regressed(String what, String heading) {
        return new CoordinatorRegressedException(who + " " + what
                + ". The coordinator lost data it had acknowledged, or its data was edited: no ids are issued any more, since they"
                + " could be issued twice. Restore it, see \"" + heading + "\" in the runbook, then restart.");
    }

    private NamespaceRecord parse(Stored stored) {
        // Nearly every answer shows the record that is known.
        if (meta != null && meta.stored().equals(stored)) {
            return meta;
        }
        try {
            return NamespaceRecord.parse(stored);
        } catch (IllegalArgumentException e) {
            throw new CoordinatorException(
                    who + " has an unreadable record " + Quoted.of(stored.value()) + ": "
                            + Quoted.plain(String.valueOf(e.getMessage()))
                            + ". If a newer version wrote it, use that version. If it was damaged, restore it, see \"Unreadable"
                            + " record\" in the runbook.",
                    e,
                    true);
        }
    }

    private void requireSameLayout(NamespaceRecord found) {
        if (!found.layout().equals(settings.layout())) {
            throw new LayoutMismatchException(
                    who + " was created with " + LayoutAdvice.describe(found.layout()) + ", but configured is "
                            + LayoutAdvice.describe(settings.layout())
                            + ". Set " + settings.nameOf(SnowflakeKeys.EPOCH) + ", "
                            + settings.nameOf(SnowflakeKeys.WORKER_ID_BITS) + " and "
                            + settings.nameOf(SnowflakeKeys.SEQUENCE_BITS)
                            + " to what it was created with. To change the layout, move the namespace, see \"Another layout\""
                            + " in the runbook.");
        }
    }

    /** Ids go on to the end of the window, above which the successor namespace starts; nothing is extended any more. */
    public static final class RetiredException extends SnowflakeException {
        private static final long serialVersionUID = 1L;

        RetiredException(String message) {
            super(message);
        }
    }
}
