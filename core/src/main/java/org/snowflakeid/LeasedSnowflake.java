// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.config.Logs;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.config.Unreleased;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.keeper.EventDelivery;
import org.snowflakeid.lease.CheckpointedException;
import org.snowflakeid.lease.Past;
import org.snowflakeid.lease.WaitingThreads;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A generator whose worker id is leased from a coordinator. Close it to give the worker id back at once; a process that ends
 * without closing keeps it until its window is over.
 *
 * <p>With {@code snowflake.workers} above 1 it leases that many worker ids, and can issue that many times as many ids. The ids of each thread still
 * increase strictly; those of different threads may be out of order within a millisecond.
 */
public final class LeasedSnowflake implements Snowflake, AutoCloseable {

    private static final int MAX_BATCH = 1_000_000;

    /** A look later than this means that the process was frozen, not that the machine is busy. */
    private static final long FROZEN_NANOS = 2_000_000_000L;

    private static final long LOOK_NANOS = 500_000_000;

    /** Ending notes takes longer only if a disk hangs. */
    private static final long LONGEST_NOTES_NANOS = 5_000_000_000L;

    private final Settings settings;
    private final WorkerCoordinatorProvider provider;
    private final Platform platform;
    private final EventDelivery events;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    /** Issues the ids. From a checkpoint until there is another engine, it is the one that ended. */
    private volatile Engine engine;

    /** The engine that claims after a restore. Guarded by {@link #lock}, as are changes of {@link #closed} and {@link #engine}. */
    private @Nullable Engine starting;

    private volatile boolean closed;

    /** Why there are no ids between a checkpoint and a restore; null: there are some, or {@link #engine} says why not. */
    private volatile @Nullable Suspension suspension;

    private final Object lock = new Object();
    private final WaitingThreads waiting;

    /** Set while a thread ends or replaces an engine: one at a time. */
    private final AtomicBoolean changing = new AtomicBoolean();

    /** Engines told to end, or starting, which may still have a call under way. Used only {@linkplain #inTurn in turn}. */
    private final Set<Engine> leaving = new HashSet<>();

    /** Engines whose notes may not have ended. Used only in turn. */
    private final Set<Engine> noted = new HashSet<>();

    /** @param fails whether calls fail at once */
    private record Suspension(String reason, boolean fails) {}

    /**
     * Claims a worker id through the coordinator that {@code snowflake.coordinator} names, or the only one on the class path.
     * Blocks until a worker id is claimed, for at most {@code snowflake.startup-timeout}. There is one exception: after an operator has
     * restored or moved the namespace, or where it was created fenced, it waits until ids may begin, whatever that setting says.
     *
     * @throws InvalidSettingsException if a setting is wrong or no single coordinator can be chosen
     * @throws NoFreeWorkerIdException if all worker ids stay taken
     * @throws LayoutMismatchException if the namespace has another layout
     * @throws CoordinatorRegressedException if the coordinator lost data that it had acknowledged
     * @throws CoordinatorException if the coordinator can't be used, contradicts this machine's clock, or says that the namespace moved or is being
     *     restored
     * @throws SnowflakeUnavailableException if the calling thread is interrupted (its flag stays set), or no thread can be started
     */
    public static LeasedSnowflake open(SnowflakeSettings settings) {
        return open(settings, Coordinators.loader());
    }

    /** As {@link #open(SnowflakeSettings)}, looking for coordinators with a given class loader. */
    public static LeasedSnowflake open(SnowflakeSettings settings, ClassLoader loader) {
        return open(settings, Coordinators.select(settings.values(), loader), Platform.system());
    }

    /**
     * As {@link #open(SnowflakeSettings)}, with a listener for the generator's events. It is called on another thread, which has the context class
     * loader of this method's caller.
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
        this.provider = provider;
        this.platform = platform;
        this.waiting = new WaitingThreads(platform);
        this.events = new EventDelivery(platform, settings.generator(), listener);
        this.engine = new Engine(settings, provider, platform, events, Past.none());
        engine.start();
        engine.awaitStart();
    }

    /** For tests. */
    IdIssuer issuer() {
        return engine.issuer;
    }

    @Override
    public long nextId() {
        Engine present = engine;
        while (true) {
            try {
                return present.nextId();
            } catch (CheckpointedException e) {
                present = awaitRestore(present);
            }
        }
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
        long last = nextIdsAnyhow(into, from, count);
        if (last != into[from + count - 1]) {
            throw new AssertionError(
                    "snowflake '" + settings.generator() + "': a batch ends with " + last + ", and its array does not");
        }
    }

    /** Starts a batch again that a checkpoint interrupted. */
    private long nextIdsAnyhow(long[] into, int from, int count) {
        Engine present = engine;
        while (true) {
            try {
                return present.nextIds(into, from, count);
            } catch (CheckpointedException e) {
                present = awaitRestore(present);
            }
        }
    }

    @Override
    public SnowflakeLayout layout() {
        return settings.layout();
    }

    @Override
    public SnowflakeStatus status() {
        while (true) {
            Engine present = engine;
            Suspension now = suspension;
            SnowflakeStatus status = now == null || closed ? present.status() : status(now);
            if (engine == present && Objects.equals(suspension, now)) {
                return status;
            }
        }
    }

    private SnowflakeStatus status(Suspension now) {
        return new SnowflakeStatus(
                settings.generator(),
                SnowflakeStatus.State.SUSPENDED,
                List.of(),
                settings.namespace(),
                provider.name(),
                Optional.empty(),
                Duration.ZERO,
                false,
                Optional.of(now.reason()),
                Optional.empty());
    }

    @Override
    public SnowflakeCounts counts() {
        return engine.counts();
    }

    /**
     * Stops issuing, and gives the worker ids back so that other processes can claim them at once. Waits for that as long as the coordinator answers,
     * else for at most 11 seconds, or 13 with a resume folder. Calls that wait for an id fail. An interrupt ends only this wait, and the thread's
     * flag stays set: the worker ids are still given back. Safe to call again.
     */
    @Override
    public void close() {
        beginClose();
        awaitClosed();
    }

    /**
     * Closes several generators at the same time: if their coordinator does not answer, that takes as long as closing one. Otherwise as {@link
     * #close}. A failure with one does not keep the others from being closed.
     */
    public static void closeAll(Collection<LeasedSnowflake> generators) {
        try {
            forEach(generators, LeasedSnowflake::beginClose);
        } finally {
            forEach(generators, LeasedSnowflake::awaitClosed);
        }
    }

    private static <T> void forEach(Collection<T> all, Consumer<T> step) {
        Throwable failure = null;
        for (T each : all) {
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

    /** When this returns, no more ids are issued. */
    private void beginClose() {
        try {
            events.close();
        } finally {
            synchronized (lock) {
                closed = true;
            }
            waiting.wake();
            forEach(engines(), Engine::beginClose);
        }
    }

    private void awaitClosed() {
        forEach(engines(), Engine::awaitEnd);
    }

    private List<Engine> engines() {
        synchronized (lock) {
            return starting == null ? List.of(engine) : List.of(engine, starting);
        }
    }

    // ---- checkpoints

    /**
     * To be called before the memory of this process is copied, as by a checkpoint that several processes may be restored from. Stops issuing, gives
     * the worker ids back and closes the connection to the coordinator. If this returns, that is certain, except with {@code
     * snowflake.checkpoint.unreleased=allow}. Until {@link #afterRestore} calls wait, for at most {@code snowflake.wait-timeout}. Takes as long as
     * {@link #close}. Does nothing if the generator is closed, or was sealed before and has nothing open any more.
     *
     * <p>An id that a thread got before this is in every copy: let requests end first.
     *
     * @throws SnowflakeUnavailableException if the coordinator did not confirm in time that the worker ids were given back, if a call to it has not
     *     ended and holds a connection, or if the thread was interrupted (its flag stays set). Then no checkpoint may be made, and the generator goes
     *     on with other worker ids. With {@code allow} the first two are only logged, and the worker ids stay taken until their windows end. Also
     *     thrown, in any case, if notes in {@code snowflake.resume.directory}, from which copies could go on, could not be ended within five seconds
     */
    public void beforeCheckpoint() {
        inTurn(this::endForCheckpoint);
    }

    /**
     * To be called when this process goes on after a checkpoint, in the original and in every copy. Claims worker ids as {@link #open} does: blocks
     * until there are some, and throws as that does; then it may be called again. New ids are greater than all that this generator issued before.
     * Does nothing if no checkpoint was prepared, ids are issued again already, or the generator is closed or has failed for good.
     *
     * @throws SnowflakeException as {@link #open(SnowflakeSettings)}
     */
    public void afterRestore() {
        inTurn(this::claimAnew);
    }

    private void inTurn(Runnable change) {
        while (!changing.compareAndSet(false, true)) {
            requireUninterrupted();
            boolean unused = waiting.await(() -> !changing.get(), LOOK_NANOS);
        }
        try {
            change.run();
        } finally {
            changing.set(false);
            waiting.wake();
        }
    }

    private void endForCheckpoint() {
        if (closed) {
            return;
        }
        Engine ending = engine;
        boolean seals = suspension == null && !ending.isBroken();
        if (seals) {
            String sealed = "it was sealed for a checkpoint at " + now() + ". Ids come again after the restore.";
            suspend(sealed, false);
            ending.beginCheckpoint(sealed);
        }
        leaving.add(ending);
        leaving.forEach(Engine::awaitEnd);
        noted.addAll(leaving);
        leaving.removeIf(Engine::isEnded);
        if (ending.isBroken()) {
            // Broken for good: it has given up what it had, and a restore is not a restart.
            if (seals) {
                suspend(ending.whyBroken(), true);
            }
            requireNotesEnded(null);
        } else if (!closed) {
            requireSealed(ending, seals);
        }
        leaving.forEach(Engine::enterImage);
        platform.beforeCheckpoint();
    }

    private void requireSealed(Engine ending, boolean seals) {
        Engine stopped = seals ? ending : null;
        String unsealed = unsealed(ending, seals);
        boolean allows = settings.unreleased() == Unreleased.ALLOW;
        if (!unsealed.isEmpty() && !allows) {
            refuse(
                    stopped,
                    unsealed,
                    provider.name() + " answers, or set " + SnowflakeKeys.CHECKPOINT_UNRELEASED
                            + "=allow: then they stay taken until their windows have ended.");
        }
        // Only now: a checkpoint that is refused above leaves them as they are.
        requireNotesEnded(stopped);
        if (!unsealed.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    message(unsealed + ". The checkpoint is allowed by "
                            + settings.shown(SnowflakeKeys.CHECKPOINT_UNRELEASED)
                            + ": no id is issued under them any more, and others can claim them when their windows have"
                            + " ended."));
        } else if (seals) {
            LOG.log(Level.INFO, message("sealed for a checkpoint"));
        }
    }

    private void requireNotesEnded(@Nullable Engine stopped) {
        if (settings.resumeDirectory().isPresent() && !endNotes(List.copyOf(noted))) {
            refuse(
                    stopped,
                    "notes in " + SnowflakeKeys.RESUME_DIRECTORY
                            + " could not be ended, and copies of this machine could go on from them",
                    "they can be written.");
        }
        noted.clear();
    }

    /** On a separate thread, since a disk may hang. */
    private boolean endNotes(List<Engine> all) {
        AtomicReference<@Nullable Boolean> ended = new AtomicReference<>();
        try {
            Thread unused = platform.start("snowflake-" + settings.generator() + "-notes", () -> {
                boolean none = false;
                try {
                    none = all.stream().allMatch(Engine::endNotes);
                } finally {
                    ended.set(none);
                    waiting.wake();
                }
            });
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, message("no thread can be started to end notes"), e);
            return false;
        }
        return waiting.await(() -> ended.get() != null, LONGEST_NOTES_NANOS) && Boolean.TRUE.equals(ended.get());
    }

    /** Why a checkpoint is refused unless the settings allow it; empty: all was given back. */
    private String unsealed(Engine ending, boolean seals) {
        if (seals && !ending.isReleased()) {
            return provider.name() + " did not confirm that the worker ids were given back ("
                    + (Thread.currentThread().isInterrupted() ? "the thread was interrupted" : ending.whyUnreleased())
                    + ")";
        }
        return leaving.isEmpty()
                ? ""
                : "a call of " + provider.name() + " has not ended, so a thread and a connection are left";
    }

    /**
     * @param ending the engine to be replaced; null: none was issuing ids
     * @param when a checkpoint can be tried again
     */
    private void refuse(@Nullable Engine ending, String what, String when) {
        SnowflakeUnavailableException refusal = new SnowflakeUnavailableException(message("no checkpoint: " + what
                + (ending == null ? "" : ". The generator goes on with other worker ids") + ". Try again when "
                + when));
        if (ending != null) {
            try {
                Engine next = open(ending.past());
                next.startWithoutEnd("A checkpoint was refused, and no worker id has been claimed since.");
                replaceBy(next);
            } catch (RuntimeException | Error e) {
                suspend(
                        "a checkpoint was refused, and claiming anew failed: " + e.getMessage()
                                + ". afterRestore() tries again.",
                        true);
                refusal.addSuppressed(e);
            }
        }
        throw refusal;
    }

    private void claimAnew() {
        if (closed || suspension == null || engine.isBroken()) {
            return;
        }
        suspend("it was restored at " + now() + ", and no worker id has been claimed since.", false);
        try {
            Engine next = open(engine.past().restored());
            leaving.add(next);
            synchronized (lock) {
                starting = next;
            }
            next.start();
            if (closed) {
                next.beginClose();
            }
            next.awaitStart();
            leaving.remove(next);
            replaceBy(next);
        } catch (RuntimeException | Error e) {
            suspend("no worker id could be claimed after a restore: " + e.getMessage(), true);
            throw e;
        } finally {
            synchronized (lock) {
                starting = null;
            }
        }
    }

    /** Uses the class loader of the thread that opened this generator: checkpoints run on other threads. */
    private Engine open(Past past) {
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return new Engine(settings, provider, platform, events, past);
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    private void replaceBy(Engine next) {
        synchronized (lock) {
            if (!closed) {
                engine = next;
                suspension = null;
                return;
            }
        }
        next.beginClose();
        next.awaitEnd();
    }

    private void suspend(String reason, boolean fails) {
        suspension = new Suspension(reason, fails);
        waiting.wake();
    }

    /** Waits for the next engine, for a call that an ended one could not serve. */
    private Engine awaitRestore(Engine ended) {
        long waited = 0;
        ended.beginWait();
        try {
            while (engine == ended && !ended.isBroken()) {
                Suspension now = suspension;
                if (closed) {
                    throw new SnowflakeUnavailableException(message("is closed."));
                }
                long left = settings.waitTimeout().toNanos() - waited;
                if (now != null && (now.fails() || left <= 0)) {
                    throw new SnowflakeUnavailableException(message("no id can be issued: " + now.reason()));
                }
                requireUninterrupted();
                long since = platform.nanoTime();
                boolean unused = waiting.await(
                        () -> engine != ended || !Objects.equals(suspension, now) || closed,
                        Math.min(Math.max(left, 1), LOOK_NANOS));
                long took = platform.nanoTime() - since;
                // Leaves out the time from checkpoint to restore, and the difference between two machines' clocks.
                waited += took < 0 || took > FROZEN_NANOS ? 0 : took;
            }
        } finally {
            ended.endWait(waited);
        }
        return engine;
    }

    private void requireUninterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw new SnowflakeUnavailableException(
                    message("interrupted while waiting for a checkpoint or a restore."));
        }
    }

    private Instant now() {
        return Instant.ofEpochMilli(platform.wallMillis());
    }

    private String message(String text) {
        return Logs.named(settings.generator(), text);
    }
}
