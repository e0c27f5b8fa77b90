// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;

/**
 * Where threads wait when a millisecond is used up. Only one of them, the leader, is awake; the others sleep behind it in the order in which they
 * came.
 *
 * <h2>What a caller sees</h2>
 *
 * A thread that comes while there are ids takes one, whether others wait or not. A queue that served strictly in turn would be a lock convoy: the ids
 * of a millisecond would lie idle while one sleeper after another is woken.
 *
 * <p>The leader waits for the clock. When there are ids it takes its own and, in the same step, those of others in the queue, hands these out ({@link
 * #serve}), appoints the first of the rest its successor, and leaves.
 *
 * <h2>How many are served at once</h2>
 *
 * Waking a thread costs as much as a hundred ids. Threads that do nothing but take ids use up a millisecond by themselves, a single one fastest of
 * all: then no other is woken. Threads that do other things in between leave ids over. So the number of calls served doubles with each millisecond
 * that had ids left over while threads waited, and shrinks by an eighth with each that was used up. A call that has waited for {@link
 * #LONG_WAIT_NANOS} is served in any case. Where a millisecond has few ids ({@link #FEW}), every call for which there is an id is served, and waits
 * about its fair share, threads / rate. A leader serves no more calls than it can wake within a fraction of a millisecond.
 *
 * <p>Where processors are busy the leader may find ids used up whenever it wakes. After {@link #STARVED_NANOS} it has the next ones kept
 * ({@link #keepIfStarved}): a call that comes then waits behind it, until it has taken its own.
 *
 * <h2>What can go wrong</h2>
 *
 * This is not a lock. An id is safe by the compare-and-set that takes it, even if two threads believe that they lead; an id given to a thread that is
 * gone is lost, never repeated. A waiter gets an id only of a position that was read after its call had begun ({@link #lastArrival}), so ids increase
 * in the order of calls. After an Error in a leader, {@link #leave} passes the lead on. If that fails too, or the leader gets no processor, the first
 * waiter that finds nothing has happened for {@link #STALL_NANOS} takes the lead: each looks when it comes, and again when it has slept for long.
 * Until then ids go on, and only sleepers wait longer, until one of them looks: the more there are, the later, within {@link #LONGEST_SLEEP_NANOS}.
 *
 * <h2>How the id path uses it</h2>
 *
 * <pre>{@code
 * while there are ids:  take one
 * else, in a loop:      long bound = line.lastArrival();            // before lease, position and clock are read
 *                       if there are ids:
 *                           others = me leads ? line.select(bound, ..) : 0
 *                           take mine + others by one compare-and-set; line.serve(bound, first of others, others, ..)
 *                       else: me = me or line.waiter(..), line.join(me);  me leads ? wait for the clock, line.wentOn(me) : line.await(me, ..)
 * whatever happens:     line.leave(me)
 * }</pre>
 */
public final class WaitingLine {

    /** How long a leader, which wakes up each millisecond, may seem asleep before it loses the lead. Losing it does no harm. */
    private static final long STALL_NANOS = 10_000_000;

    /** A millisecond with no more ids than this has few. */
    private static final long FEW = 1024;

    /** A call that has waited this long is served even where ids are used up anyway. */
    private static final long LONG_WAIT_NANOS = 80_000_000;

    /** How long a leader may take to wake the others. */
    private static final long SERVING_NANOS = 50_000;

    /** A leader that has found ids used up for this long has the next ones kept. */
    private static final long STARVED_NANOS = 20_000_000;

    /** Of calls that have waited for long, this many times as many are served. */
    private static final long LONG_WAIT_FACTOR = 8;

    private static final int LEAST_SERVED = 16;
    private static final int MOST_SERVED = 1 << 16;

    private static final long LONGEST_SLEEP_NANOS = 4_000_000_000L;

    private final Platform platform;
    private final Deque<Waiter> queue = new ConcurrentLinkedDeque<>();
    private final AtomicLong arrivals = new AtomicLong();

    /** Awake or called; null: no thread waits. Not in the queue once it has noticed. */
    private final AtomicReference<@Nullable Waiter> leader = new AtomicReference<>();

    /** When a leader last showed that it is awake. */
    private volatile long wentOnNanos;

    // What the last leader that took ids leaves to the next one.
    private volatile long servedTick;
    private volatile long servedNanos;
    private volatile long servedPosition;
    private volatile long lastCalled;
    private volatile int mostServed = LEAST_SERVED;

    /** How many others a leader serves where ids are used up anyway. */
    private volatile int budget;

    /** Whether ids are kept for the leader, if there still is one. */
    private volatile boolean keeps;

    /** A call that waits for one id, or for the lead. */
    public static final class Waiter {
        private static final long WAITING = -1;
        private static final long GONE = -2;

        private final Thread thread = Thread.currentThread();

        /** Whether it wants one id; several it has to take itself. */
        private final boolean single;

        private final long fromTick;
        private final long arrival;

        /** Written before it is in the queue. */
        private volatile long sinceNanos;

        /** Known to its thread only. */
        private long leadsSinceNanos;

        /** The id it got, or one of the above. */
        private final AtomicLong id = new AtomicLong(WAITING);

        /** Known to its thread only; stays true when the lead is taken from it, until it notices. */
        private volatile boolean leads;

        Waiter(boolean single, long fromTick, long arrival) {
            this.single = single;
            this.fromTick = fromTick;
            this.arrival = arrival;
        }

        public boolean leads() {
            return leads;
        }

        /** The id it got while it waited; negative: none. */
        public long id() {
            return id.get();
        }

        /** Asked again for each call that gets an id: others may have left since those to be served were counted. */
        private boolean mayBeServed(long bound, long tick) {
            return single && arrival <= bound && fromTick <= tick;
        }

        private boolean isWaiting() {
            return id.get() == WAITING;
        }

        /** A batch gets no id that it did not take itself, even if it was given up when it was counted and is back now. */
        private boolean give(long issued) {
            return single && id.compareAndSet(WAITING, issued);
        }
    }

    public WaitingLine(Platform platform) {
        this.platform = platform;
    }

    /** Calls that joined until now may get an id of a position that is read after this. */
    public long lastArrival() {
        return arrivals.get();
    }

    /**
     * A place for a call, which then has to {@link #join}, and to {@link #leave} in any case.
     *
     * @param single whether it waits for one id, which others may take for it
     * @param fromTick the earliest tick that its id may have
     */
    public Waiter waiter(boolean single, long fromTick) {
        return new Waiter(single, fromTick, arrivals.incrementAndGet());
    }

    /** Takes a place in the queue, or the lead if no thread has it. */
    public void join(Waiter me) {
        long now = platform.nanoTime();
        me.sinceNanos = now;
        if (leader.get() == null && leader.compareAndSet(null, me)) {
            lead(me, now);
            return;
        }
        queue.add(me);
        // A leader that saw the queue empty may have left.
        if (leader.compareAndSet(null, me)) {
            queue.remove(me);
            lead(me, now);
        }
    }

    /**
     * Waits for an id or the lead, for at most {@code nanos}; or returns early, as {@link Platform#park} does.
     */
    public void await(Waiter me, long nanos) {
        leadIfCalled(me, platform.nanoTime());
        if (me.leads || me.id() >= 0) {
            return;
        }
        platform.park(Math.min(nanos, untilLookNanos(me)));
        if (me.id() == Waiter.GONE && !me.leads) {
            // It was called and did not come for so long that it was given up.
            me.id.set(Waiter.WAITING);
            queue.addFirst(me);
        }
    }

    /** A call far behind is called or served before it wakes up by itself: thousands that look would keep processors busy. */
    private long untilLookNanos(Waiter me) {
        return Math.min(LONGEST_SLEEP_NANOS, STALL_NANOS + Math.max(0, me.arrival - lastCalled) * 1_000_000);
    }

    private void leadIfCalled(Waiter me, long now) {
        Waiter present = leader.get();
        if (present != me) {
            boolean stalled = present == null || now - wentOnNanos > STALL_NANOS;
            if (!stalled || !leader.compareAndSet(present, me)) {
                return;
            }
            if (present != null && !present.single) {
                // Called, it does not come; no other thread can serve it.
                present.id.compareAndSet(Waiter.WAITING, Waiter.GONE);
            }
        }
        queue.remove(me);
        lead(me, now);
    }

    private void lead(Waiter me, long now) {
        me.leads = true;
        me.leadsSinceNanos = now;
        lastCalled = me.arrival;
        wentOnNanos = now;
    }

    /** To be called by the leader each time it has waited for the clock. It may have waited so long that it no longer leads. */
    public void wentOn(Waiter me) {
        wentOnNanos = platform.nanoTime();
        if (leader.get() != me) {
            me.leads = false;
            me.id.compareAndSet(Waiter.GONE, Waiter.WAITING);
            // A thread that saw it in the queue before may have served it.
            if (me.isWaiting()) {
                queue.addFirst(me);
            }
        }
    }

    /** To be called by the leader when it finds ids used up: others may have taken them each time before it came. */
    public void keepIfStarved(Waiter me) {
        if (platform.nanoTime() - me.leadsSinceNanos > STARVED_NANOS) {
            keeps = true;
        }
    }

    /** Whether a caller has to look closer: {@link #keepsForLeader}. */
    public boolean keeps() {
        return keeps;
    }

    /** Whether ids are kept for a leader other than the caller. None are for one that is gone, or gets no processor. */
    public boolean keepsForLeader() {
        if (keeps && (leader.get() == null || platform.nanoTime() - wentOnNanos > STALL_NANOS)) {
            keeps = false;
        }
        return keeps;
    }

    /**
     * Whether the leader is to take ids now. If not, calls outside the queue are using the millisecond up, and the next is early enough.
     *
     * @param position the last one issued
     */
    public boolean isDue(long position, long idsPerTick, long tick) {
        if (tick != servedTick) {
            return true;
        }
        return !isFlowing(position, idsPerTick);
    }

    /** Whether calls outside the queue take ids at a pace that uses at least half of a millisecond's. */
    private boolean isFlowing(long position, long idsPerTick) {
        long taken = position - servedPosition;
        return taken > 0 && taken * 2_000_000.0 >= (double) (platform.nanoTime() - servedNanos) * idsPerTick;
    }

    /**
     * How many of those in the queue are to get an id together with the leader.
     *
     * @param bound {@link #lastArrival} before the position was read
     * @param position the last one issued
     * @param tick the one whose ids are taken
     * @param now in ticks
     * @param room how many ids there are for others
     */
    public int select(long bound, long position, long idsPerTick, long tick, long now, long room) {
        int served =
                adapt(now == servedTick ? !isFlowing(position, idsPerTick) : (position + 1) / idsPerTick <= servedTick);
        long nanos = platform.nanoTime();
        long most = idsPerTick > FEW ? Math.min(served, mostServed) : mostServed;
        int selected = 0;
        for (Waiter each : queue) {
            if (selected >= room || each.arrival > bound) {
                break;
            }
            if (each.isWaiting()) {
                boolean hasWaitedLong = nanos - each.sinceNanos >= LONG_WAIT_NANOS;
                long limit = hasWaitedLong ? LONG_WAIT_FACTOR * mostServed : most;
                if (selected >= limit || !each.mayBeServed(bound, tick)) {
                    break;
                }
                selected++;
            }
        }
        return selected;
    }

    /** @return how many others are to be served, if they have not waited for long */
    private int adapt(boolean leftOver) {
        int before = budget;
        int next = leftOver ? Math.min(MOST_SERVED, 2 * before + 1) : before - (before + 7) / 8;
        if (next != before) {
            budget = next;
        }
        return next;
    }

    /**
     * Hands ids out to the first in the queue.
     *
     * @param firstId the others follow it
     * @param tick of all these ids
     * @param position the last one issued
     * @param now in ticks
     */
    public void serve(long bound, long firstId, int count, long tick, long position, long now) {
        long begin = platform.nanoTime();
        servedTick = now;
        servedNanos = begin;
        servedPosition = position;
        keeps = false;
        int served = 0;
        while (served < count) {
            Waiter next = queue.peek();
            if (next == null || (next.isWaiting() && !next.mayBeServed(bound, tick))) {
                break;
            }
            if (next.give(firstId + served)) {
                served++;
                lastCalled = next.arrival;
            }
            drop(next);
        }
        if (served >= LEAST_SERVED) {
            long took = platform.nanoTime() - begin;
            wentOnNanos = begin + took;
            long inTime = served * SERVING_NANOS / Math.max(1, took);
            mostServed = (int) Math.max(LEAST_SERVED, Math.min(MOST_SERVED, inTime));
        }
    }

    /** Ends a wait, whatever came of it, and passes the lead on. Safe to call again. */
    public void leave(Waiter me) {
        me.id.compareAndSet(Waiter.WAITING, Waiter.GONE);
        if (leader.get() == me) {
            passOn(me);
        }
    }

    private void passOn(Waiter last) {
        Waiter from = last;
        while (true) {
            Waiter next = firstWaiting();
            if (next == null) {
                if (!leader.compareAndSet(from, null)) {
                    return;
                }
                // A call that came just now saw a leader.
                from = null;
                next = firstWaiting();
                if (next == null) {
                    return;
                }
            }
            if (!leader.compareAndSet(from, next)) {
                return;
            }
            if (next.isWaiting()) {
                platform.unpark(next.thread);
                return;
            }
            // It left before it was told.
            from = next;
        }
    }

    private @Nullable Waiter firstWaiting() {
        Waiter first = queue.peek();
        while (first != null && !first.isWaiting()) {
            // An Error may have kept it from being woken.
            drop(first);
            first = queue.peek();
        }
        return first;
    }

    private void drop(Waiter first) {
        platform.unpark(first.thread);
        queue.remove(first);
        if (first.isWaiting() && leader.get() != first) {
            // It was given up, is back, and what was removed is its new place.
            queue.addFirst(first);
        }
    }
}
