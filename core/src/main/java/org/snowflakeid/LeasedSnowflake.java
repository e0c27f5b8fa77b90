// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.claim.Takeover;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.config.Settings;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.ids.StripedIssuers;
import org.snowflakeid.keeper.EventDelivery;
import org.snowflakeid.keeper.Keeper;
import org.snowflakeid.keeper.KeeperThread;
import org.snowflakeid.keeper.Reports;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.StatusView;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.resume.Resumption;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A generator whose worker id is leased from a coordinator. Close it to give the worker id back at once; a process that ends
 * without closing keeps it until its window is over.
 *
 * <p>With {@code snowflake.workers} above 1 it leases so many worker ids, and can issue so many times the ids of one. Then the ids of each
 * thread increase strictly. Ids of different threads may be out of order within a millisecond.
 */
public final class LeasedSnowflake implements Snowflake, AutoCloseable {

    private static final int MAX_BATCH = 1_000_000;

    private final Settings settings;
    private final SharedState shared;
    private final EventDelivery events;
    private final StatusView status;
    private final Keeper keeper;
    private final Takeover takeover;

    /** The only one, or one of several: then {@link #striped} chooses. */
    final IdIssuer issuer;

    private final @Nullable StripedIssuers striped;

    /**
     * Claims a worker id through the coordinator that {@code snowflake.coordinator} names, or the only one on the class path.
     * Blocks until a worker id is claimed, for at most {@code snowflake.startup-timeout}. There is one exception: after an operator has
     * restored or moved the namespace, or where it was created fenced, it waits until ids may begin, whatever that setting says.
     *
     * @throws InvalidSettingsException if a setting is wrong or no single coordinator can be chosen
     * @throws NoFreeWorkerIdException if all worker ids stay taken
     * @throws LayoutMismatchException if the namespace has another layout
     * @throws CoordinatorRegressedException if the coordinator lost data that it had acknowledged
     * @throws CoordinatorException if the coordinator can't be used, or the namespace has moved or is being restored
     * @throws SnowflakeUnavailableException if the calling thread is interrupted (its flag stays set)
     */
    public static LeasedSnowflake open(SnowflakeSettings settings) {
        return open(settings, Coordinators.loader());
    }

    /** As {@link #open(SnowflakeSettings)}, looking for coordinators with a given class loader. */
    public static LeasedSnowflake open(SnowflakeSettings settings, ClassLoader loader) {
        return open(settings, Coordinators.select(settings.values(), loader), Platform.system());
    }

    /**
     * As {@link #open(SnowflakeSettings)}, with a listener that gets what happens to the generator. The listener is called on a thread
     * with the context class loader of the caller of this method.
     */
    public static LeasedSnowflake open(SnowflakeSettings settings, Consumer<? super SnowflakeEvent> listener) {
        return open(
                settings, Coordinators.select(settings.values(), Coordinators.loader()), Platform.system(), listener);
    }

    /** As {@link #open(SnowflakeSettings)}, with a given coordinator, clock and threads. */
    public static LeasedSnowflake open(
            SnowflakeSettings settings, WorkerCoordinatorProvider provider, Platform platform) {
        return new LeasedSnowflake(settings.values(), provider, platform, null);
    }

    /** As {@link #open(SnowflakeSettings, Consumer)}, with a given coordinator, clock and threads. */
    public static LeasedSnowflake open(
            SnowflakeSettings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            Consumer<? super SnowflakeEvent> listener) {
        return new LeasedSnowflake(settings.values(), provider, platform, listener);
    }

    private LeasedSnowflake(
            Settings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            @Nullable Consumer<? super SnowflakeEvent> listener) {
        LayoutAdvice.requireLasting(settings, Instant.ofEpochMilli(platform.wallMillis()));
        this.settings = settings;
        this.shared = new SharedState(settings.generator(), platform, settings.workers());
        VettedClock clock =
                new VettedClock(platform, settings.layout(), settings.maxSkew().toMillis());
        this.status = new StatusView(settings, provider.name(), clock, shared);
        this.events = new EventDelivery(platform, settings.generator(), listener);
        List<IdIssuer> issuers = shared.leases().stream()
                .map(inUse -> new IdIssuer(settings, platform, clock, shared, inUse))
                .toList();
        this.issuer = issuers.get(0);
        this.striped = issuers.size() == 1 ? null : new StripedIssuers(issuers);
        Reports reports = new Reports(settings, provider.name(), shared, status, events);
        this.takeover = Resumption.open(settings, provider, platform, clock, shared);
        this.keeper = new Keeper(settings, provider, platform, clock, shared, reports, takeover);
        start(platform);
    }

    private void start(Platform platform) {
        try {
            takeover.start();
            KeeperThread.keep(keeper, platform, "snowflake-" + settings.generator());
        } catch (RuntimeException | Error e) {
            takeover.end();
            keeper.discard();
            throw new SnowflakeUnavailableException(shared.message("no thread can be started: " + e), e);
        }
        boolean inTime;
        try {
            inTime = shared.awaitStart(keeper::startEndNanos);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        if (!inTime) {
            SnowflakeException overdue = keeper.overdueStart();
            // Not close(): the keeper may never come to the end of its call. If it does, it gives back what it has
            // claimed.
            beginClose();
            throw overdue;
        }
    }

    @Override
    public long nextId() {
        if (striped != null) {
            return striped.nextId();
        }
        long id = issuer.tryNextId(0);
        return id != IdIssuer.NONE ? id : issuer.nextId(0, () -> false);
    }

    @Override
    public long[] nextIds(int count) {
        requireCount(count);
        long[] ids = new long[count];
        fill(ids, 0, count);
        return ids;
    }

    @Override
    public void nextIds(long[] into, int from, int count) {
        requireCount(count);
        fill(into, Objects.checkFromIndexSize(from, count, into.length), count);
    }

    private void requireCount(int count) {
        if (count < 1 || count > MAX_BATCH) {
            throw new IllegalArgumentException(
                    "snowflake '" + settings.generator() + "': count " + count + " is not between 1 and " + MAX_BATCH);
        }
    }

    private void fill(long[] into, int from, int count) {
        long last = striped != null
                ? striped.nextIds(into, from, count)
                : issuer.nextIds(into, from, count, 0, () -> false);
        if (last != into[from + count - 1]) {
            throw new AssertionError(
                    "snowflake '" + settings.generator() + "': a batch ends with " + last + ", and its array does not");
        }
    }

    @Override
    public SnowflakeLayout layout() {
        return settings.layout();
    }

    @Override
    public SnowflakeStatus status() {
        return status.ofAll();
    }

    @Override
    public SnowflakeCounts counts() {
        return shared.counts();
    }

    /**
     * Stops issuing and gives the worker id back, so that the next process can have it at once. Waits for that, a few seconds
     * at most; safe to call again. Calls that wait for an id fail. If the calling thread is interrupted the waiting ends, and its flag stays
     * set; the worker id is given back all the same, and no id is issued any more.
     */
    @Override
    public void close() {
        beginClose();
        awaitClosed();
    }

    /**
     * Closes several, all at the same time: where their coordinator does not answer, it takes as long as closing one. Otherwise as {@link
     * #close}. Each is closed, whatever goes wrong with another.
     */
    public static void closeAll(Collection<LeasedSnowflake> generators) {
        try {
            forEach(generators, LeasedSnowflake::beginClose);
        } finally {
            forEach(generators, LeasedSnowflake::awaitClosed);
        }
    }

    private static void forEach(Collection<LeasedSnowflake> generators, Consumer<LeasedSnowflake> step) {
        Throwable failure = null;
        for (LeasedSnowflake each : generators) {
            try {
                step.accept(each);
            } catch (RuntimeException | Error e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** No id is issued any more when it returns. */
    private void beginClose() {
        try {
            events.close();
        } finally {
            try {
                shared.close();
            } finally {
                keeper.hurryToEnd();
            }
        }
    }

    private void awaitClosed() {
        shared.awaitEnd(keeper.longestCloseNanos());
    }
}
