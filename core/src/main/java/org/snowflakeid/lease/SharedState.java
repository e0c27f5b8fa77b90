// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeCounts;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeUnavailableException;

/**
 * All that a generator's callers and its keeper know of each other. The keeper publishes leases and says what is wrong; callers ask for
 * more, and wait.
 */
public final class SharedState {

    private final String generator;
    private final WaitingThreads waiting;
    private final List<CurrentLease> leases = new ArrayList<>();
    private final Past past;
    private final Troubles troubles = new Troubles();
    private final HighTick highTick = new HighTick();
    private final CallWatch calls;
    private final Platform platform;

    private volatile boolean started;
    private volatile boolean closed;

    /** Closed for a checkpoint: the generator itself is not. */
    private volatile boolean checkpointed;

    /** In a memory image that several copies may go on from: each may find its marks changed by others. */
    private volatile boolean inImage;

    private volatile boolean released;
    private final AtomicInteger givenBack = new AtomicInteger();
    private volatile boolean ended;
    private volatile boolean vettingWanted;
    private volatile @Nullable SnowflakeException broken;

    /** The id of the record that was joined. */
    private volatile @Nullable String namespace;

    private volatile Runnable keeper = () -> {};
    private volatile BiConsumer<CurrentLease, String> whenOverdue = (inUse, what) -> {};

    /** @param workerIds how many of them the generator uses at a time */
    public SharedState(String generator, Platform platform, int workerIds) {
        this(generator, platform, workerIds, Past.none());
    }

    /** @param past of a generator that goes on after a checkpoint */
    public SharedState(String generator, Platform platform, int workerIds, Past past) {
        this.generator = generator;
        this.past = past;
        this.namespace = past.known() == null ? null : past.known().namespace();
        this.platform = platform;
        this.waiting = new WaitingThreads(platform);
        this.calls = new CallWatch(platform);
        for (int i = 0; i < workerIds; i++) {
            leases.add(new CurrentLease());
        }
    }

    public List<CurrentLease> leases() {
        return leases;
    }

    public Counters counters() {
        return past.counters();
    }

    /** What came before the last checkpoint. */
    public Past past() {
        return past;
    }

    /** As {@link #past}, for the engine that follows this one, which must be sealed. */
    public Past pastOfNext(Positions positions) {
        long highest = past.highestTick();
        for (CurrentLease inUse : leases) {
            long position = inUse.get().highest();
            highest = position == Lease.SEALED ? highest : Math.max(highest, positions.tick(position));
        }
        return new Past(true, highest, issued(), swaps(), counters(), known(positions));
    }

    private Past.@Nullable Known known(Positions positions) {
        String joined = namespace;
        if (joined == null) {
            return null;
        }
        Map<Integer, Long> leastLimits =
                new HashMap<>(past.known() == null ? Map.of() : past.known().leastLimits());
        for (CurrentLease inUse : leases) {
            Lease lease = inUse.get();
            long last = lease.lastIssuedHere();
            if (last != Lease.SEALED) {
                leastLimits.merge(lease.workerId, positions.tick(last) + 1, Math::max);
            }
        }
        return new Past.Known(joined, leastLimits);
    }

    /** The highest tick of any id that was handed out, if there are several worker ids. */
    public HighTick highTick() {
        return highTick;
    }

    public CallWatch calls() {
        return calls;
    }

    /** What is wrong now; a call that does not end comes first, since the keeper can't say anything else meanwhile. */
    public Optional<String> lastError() {
        return calls.overdue().or(troubles::lastError);
    }

    public Troubles troubles() {
        return troubles;
    }

    public SnowflakeCounts counts() {
        Counters counters = counters();
        return new SnowflakeCounts(
                issued(),
                counters.waits.count(),
                Duration.ofNanos(counters.waits.nanos()),
                counters.extensions.count(),
                Duration.ofNanos(counters.extensions.nanos()),
                counters.failedExtensions.sum(),
                swaps());
    }

    private long issued() {
        return past.issued() + leases.stream().mapToLong(CurrentLease::issued).sum();
    }

    private long swaps() {
        return past.swaps() + leases.stream().mapToLong(CurrentLease::swaps).sum();
    }

    // ---- callers

    /** A caller needs more than is granted. */
    public void wantMore(CurrentLease inUse) {
        if (inUse.wantMore()) {
            keeper.run();
        }
    }

    /** A caller read a clock that has stepped. */
    public void wantVetting() {
        if (!vettingWanted) {
            vettingWanted = true;
            keeper.run();
        }
    }

    /**
     * Waits until {@code done} holds or the generator is closed or broken, at most {@code nanos}, or until the thread is interrupted (its
     * flag stays set). The keeper wakes all waiting threads at each change.
     */
    public void await(BooleanSupplier done, long nanos) {
        boolean unused = waiting.await(() -> done.getAsBoolean() || closed || broken != null, nanos);
    }

    /**
     * @throws SnowflakeException if no id will come any more
     * @throws CheckpointedException if ids come again only after a restore
     */
    public void requireOpen() {
        SnowflakeException stopped = broken;
        if (stopped != null) {
            throw restate(stopped);
        }
        if (checkpointed) {
            throw new CheckpointedException();
        }
        if (closed) {
            throw new SnowflakeUnavailableException(message("is closed."));
        }
    }

    /** A fresh exception for this caller, with the keeper's as its cause. */
    private static SnowflakeException restate(SnowflakeException stopped) {
        String text = String.valueOf(stopped.getMessage());
        return stopped instanceof CoordinatorRegressedException
                ? new CoordinatorRegressedException(text, stopped)
                : new SnowflakeUnavailableException(text, stopped);
    }

    /**
     * Waits until there are worker ids.
     *
     * @param endNanos when the waiting ends, by the monotonic clock; it may be postponed meanwhile
     * @return whether there are
     */
    public boolean awaitStart(LongSupplier endNanos) {
        while (!started && !closed && broken == null) {
            long left = endNanos.getAsLong() - platform.nanoTime();
            if (left <= 0) {
                return false;
            }
            await(() -> started, left);
            if (Thread.currentThread().isInterrupted() && !started) {
                throw new SnowflakeUnavailableException(message("interrupted while claiming a worker id."));
            }
        }
        SnowflakeException failure = broken;
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    public boolean isStarted() {
        return started;
    }

    public boolean isClosed() {
        return closed;
    }

    public boolean isBroken() {
        return broken != null;
    }

    public boolean isInImage() {
        return inImage;
    }

    /**
     * Notes that a call fails although there is a lease: the status shows that until the keeper has looked.
     *
     * @return the keeper's reason if it has given one, else {@code reason}
     */
    public String suspendedBy(CurrentLease inUse, String reason) {
        Optional<String> overdue = overdue(inUse);
        if (overdue.isPresent()) {
            troubles.suspend(overdue.get());
            return overdue.get();
        }
        Optional<String> known = troubles.suspension();
        if (known.isEmpty()) {
            troubles.suspend(reason);
            // The keeper may have looked meanwhile, and would not again for long.
            wantVetting();
            return reason;
        }
        return known.get();
    }

    /**
     * Notes that a call fails because nothing more is granted.
     *
     * @return the keeper's reason if it has given one, else {@code reason}
     */
    public String refusedSince(CurrentLease inUse, String reason) {
        return overdue(inUse).orElseGet(() -> troubles.refusedSince(reason));
    }

    /** Reports each call of the coordinator that does not end, once, by the first caller that is refused meanwhile. */
    private Optional<String> overdue(CurrentLease inUse) {
        calls.toBeSaid().ifPresent(what -> whenOverdue.accept(inUse, what));
        return calls.overdue();
    }

    /** A call fails because the clock is behind the last id. The keeper logs that once, however many calls fail. */
    public void failedBehind(String failure) {
        if (troubles.noteBehind(failure)) {
            keeper.run();
        }
    }

    /** As {@link #failedBehind}, because the clock stands still. */
    public void failedStanding(long tick, String failure) {
        troubles.noteStanding(tick, failure);
        failedBehind(failure);
    }

    /** Ends issuing for good: when it returns no call gets an id any more, whatever the keeper is doing. */
    public void close() {
        synchronized (leases) {
            closed = true;
            leases.forEach(inUse -> inUse.get().seal());
        }
        try {
            waiting.wake();
        } finally {
            keeper.run();
        }
    }

    /** As {@link #close}, for a generator that goes on after a restore. */
    public void closeForCheckpoint() {
        checkpointed = true;
        close();
    }

    /** This state will end in each copy of the process: what the keeper finds there is not a failure of the generator. */
    public void enterImage() {
        inImage = true;
    }

    /** Whether the coordinator has confirmed that all worker ids were given back. */
    public boolean isReleased() {
        return released;
    }

    /** Waits until the keeper has given the worker ids back; {@code nanos} is the longest wait for each of them. */
    public void awaitEnd(long nanos) {
        boolean goesOn = true;
        while (goesOn && !ended) {
            int before = givenBack.get();
            goesOn = waiting.await(() -> ended || givenBack.get() != before, nanos);
        }
    }

    // ---- the keeper

    /** @param wake returns at once, called by any thread */
    public void keptBy(Runnable wake) {
        keeper = wake;
    }

    /** @param say returns at once, called by any thread with what is wrong */
    public void whenOverdue(BiConsumer<CurrentLease, String> say) {
        whenOverdue = say;
    }

    public void wakeKeeper() {
        keeper.run();
    }

    /**
     * Ids come from {@code next} from now on. The lease before must have been sealed. Wakes no thread: the caller does, once it has noted the swap.
     */
    public void publish(CurrentLease inUse, Lease next) {
        synchronized (leases) {
            if (closed) {
                next.seal();
            }
            inUse.set(next);
        }
    }

    /** The namespace record was joined: after a refused checkpoint it must still be there. */
    public void joined(String id) {
        namespace = id;
    }

    /** The start is over: each lease was published, or claiming has no time limit. */
    public void start() {
        started = true;
        waiting.wake();
    }

    /** No id will be issued again; every caller gets the reason. Needs no memory. */
    public void breakDown(SnowflakeException reason) {
        broken = reason;
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).get().seal();
        }
        waiting.wake();
    }

    /** One of several worker ids was given back. */
    public void noteGivenBack() {
        givenBack.incrementAndGet();
        waiting.wake();
    }

    /** All worker ids were given back, for certain. */
    public void release() {
        released = true;
    }

    public boolean isEnded() {
        return ended;
    }

    /** Nothing more is done for this generator. */
    public void end() {
        ended = true;
        waiting.wake();
    }

    /** Whether a call has asked for something that the keeper has not looked at yet. */
    public boolean isKeeperWanted() {
        return vettingWanted || leases.stream().anyMatch(CurrentLease::isMoreWanted);
    }

    public boolean takeVettingWanted() {
        boolean wanted = vettingWanted;
        if (wanted) {
            vettingWanted = false;
        }
        return wanted;
    }

    /** Something changed that callers may wait for. */
    public void wakeCallers() {
        waiting.wake();
    }

    public String message(String text) {
        return "snowflake '" + generator + "': " + text;
    }
}
