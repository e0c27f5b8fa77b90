// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.claim.Takeover;
import org.snowflakeid.config.Settings;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.ids.StripedIssuers;
import org.snowflakeid.keeper.EventDelivery;
import org.snowflakeid.keeper.Keeper;
import org.snowflakeid.keeper.KeeperThread;
import org.snowflakeid.keeper.Reports;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Past;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.StatusView;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.resume.Resumption;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Everything a generator has from one start to its end: its leases, its waiting callers, its keeper, the connection to the coordinator, the vetted
 * clock. A checkpoint ends an engine as closing does, and a restore makes a new one. So whatever is used after a restore was read, drawn and opened
 * after it; and a keeper whose call returns late, in any copy of the memory, finds its own leases sealed, and touches no others.
 */
final class Engine {

    private final Settings settings;
    private final Platform platform;
    private final EventDelivery events;
    private final SharedState shared;
    private final StatusView status;
    private final Keeper keeper;
    private final Takeover takeover;

    /** The only issuer, or the first of several, among which {@link #striped} chooses. */
    final IdIssuer issuer;

    private final @Nullable StripedIssuers striped;

    /** Opens the connection to the coordinator. */
    Engine(Settings settings, WorkerCoordinatorProvider provider, Platform platform, EventDelivery events, Past past) {
        this.settings = settings;
        this.platform = platform;
        this.events = events;
        this.shared = new SharedState(settings.generator(), platform, settings.workers(), past);
        VettedClock clock =
                new VettedClock(platform, settings.layout(), settings.maxSkew().toMillis());
        this.status = new StatusView(settings, provider.name(), clock, shared);
        List<IdIssuer> issuers = shared.leases().stream()
                .map(inUse -> new IdIssuer(settings, platform, clock, shared, inUse))
                .toList();
        this.issuer = issuers.get(0);
        this.striped = issuers.size() == 1 ? null : new StripedIssuers(issuers);
        Reports reports = new Reports(settings, provider.name(), shared, status, events);
        this.takeover = Resumption.open(settings, provider, platform, clock, shared);
        this.keeper = new Keeper(settings, provider, platform, clock, shared, reports, takeover);
    }

    // ---- the start

    /** Starts the keeper, which claims the worker ids. Does not wait for them. */
    void start() {
        try {
            takeover.start();
            KeeperThread.keep(keeper, platform, "snowflake-" + settings.generator());
        } catch (RuntimeException | Error e) {
            takeover.end();
            keeper.discard();
            shared.end();
            throw new SnowflakeUnavailableException(shared.message("no thread can be started: " + e), e);
        }
    }

    /** As {@link #start}, without a time limit, as for a generator that had worker ids and lost them. */
    void startWithoutEnd(String reason) {
        shared.troubles().noteError(reason);
        shared.start();
        start();
    }

    /** Waits until there are worker ids. If this throws, no id is ever issued, and closing is waited for only within the time of the start. */
    void awaitStart() {
        boolean inTime;
        try {
            inTime = shared.awaitStart(keeper::startEndNanos);
        } catch (RuntimeException | Error e) {
            beginClose();
            shared.awaitEnd(Math.min(keeper.longestCloseNanos(), keeper.startEndNanos() - platform.nanoTime()));
            throw e;
        }
        if (!inTime) {
            SnowflakeException overdue = keeper.overdueStart();
            // Not close(): the keeper's call may never return. If it does, the keeper gives back what it has claimed.
            beginClose();
            throw overdue;
        }
    }

    // ---- ids

    long nextId() {
        if (striped != null) {
            return striped.nextId();
        }
        long id = issuer.tryNextId(0);
        return id != IdIssuer.NONE ? id : issuer.nextId(0, () -> false);
    }

    long nextIds(long[] into, int from, int count) {
        return striped != null ? striped.nextIds(into, from, count) : issuer.nextIds(into, from, count, 0, () -> false);
    }

    SnowflakeStatus status() {
        return status.ofAll();
    }

    SnowflakeCounts counts() {
        return shared.counts();
    }

    void beginWait() {
        shared.counters().waits.begin();
    }

    void endWait(long nanos) {
        shared.counters().waits.end(nanos);
    }

    boolean isBroken() {
        return shared.isBroken();
    }

    // ---- the end

    /** When this returns, no more ids are issued. */
    void beginClose() {
        try {
            shared.close();
        } finally {
            keeper.hurryToEnd();
        }
    }

    /** As {@link #beginClose}, except that waiting calls get their ids from a later engine. */
    void beginCheckpoint(String reason) {
        try {
            shared.closeForCheckpoint();
        } finally {
            keeper.hurryToEnd();
        }
        for (CurrentLease inUse : shared.leases()) {
            if (inUse.hasBegun()) {
                events.add(new SnowflakeEvent.Suspended(settings.generator(), inUse.get().workerId, reason));
            }
        }
    }

    /** Allows a checkpoint before the engine has ended. What its keeper finds in a copy must not keep the generator from claiming anew. */
    void enterImage() {
        shared.enterImage();
    }

    void awaitEnd() {
        shared.awaitEnd(keeper.longestCloseNanos());
    }

    /** Whether its thread and its connection have ended. */
    boolean isEnded() {
        return shared.isEnded();
    }

    /** Why it {@link #isBroken}. */
    String whyBroken() {
        return shared.lastError().orElse("it has failed for good");
    }

    /** Whether all worker ids were given back, for certain. */
    boolean isReleased() {
        return shared.isReleased();
    }

    /** Ends the notes of an engine that was told to end. Returns whether it is certain that no process can take over what it was granted. */
    boolean endNotes() {
        return takeover.endAll();
    }

    /** Why they were not given back, as far as is known. */
    String whyUnreleased() {
        return shared.troubles().unreleased().or(shared::lastError).orElse("it has not answered in time");
    }

    /** What the next engine has to know of this one, which must be sealed. */
    Past past() {
        return shared.pastOfNext(issuer.positions);
    }
}
