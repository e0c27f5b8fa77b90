// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.ids;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.snowflakeid.lease.HighTick;

/**
 * Spreads threads over the worker ids of one generator. Each thread keeps to one of them, and leaves it only while that issues nothing.
 *
 * <p>Ids of one thread increase strictly: when it changes the worker id, it begins a tick after its last id. Ids of different threads are in order to
 * the millisecond ({@link HighTick}).
 */
public final class StripedIssuers {

    // What a thread remembers, in an array of the JDK: a class of ours would keep an undeployed application in memory.
    private static final int HOME = 0;
    private static final int PRESENT = 1;
    private static final int LAST_ID = 2;

    private final List<IdIssuer> issuers;
    private final HighTick highTick;
    private final AtomicInteger threads = new AtomicInteger();
    private final ThreadLocal<long[]> ofThread = ThreadLocal.withInitial(this::newThread);

    public StripedIssuers(List<IdIssuer> issuers) {
        this.issuers = issuers;
        this.highTick = issuers.get(0).shared.highTick();
    }

    private long[] newThread() {
        int home = Math.floorMod(threads.getAndIncrement(), issuers.size());
        return new long[] {home, home, 0};
    }

    public long nextId() {
        long[] memory = ofThread.get();
        IdIssuer present = issuers.get((int) memory[PRESENT]);
        long id = present.tryNextId(highTick.get());
        while (id == IdIssuer.NONE) {
            long high = highTick.get();
            int chosen = choose(memory, high);
            id = issuers.get(chosen).nextId(fromTick(memory, chosen, high), () -> isAnotherIssuing(memory, chosen));
            if (id != IdIssuer.NONE) {
                memory[PRESENT] = chosen;
            }
        }
        return noted(memory, id);
    }

    /** Returns the last of them. */
    public long nextIds(long[] into, int from, int count) {
        long[] memory = ofThread.get();
        long last = IdIssuer.NONE;
        while (last == IdIssuer.NONE) {
            long high = highTick.get();
            int chosen = choose(memory, high);
            last = issuers.get(chosen)
                    .nextIds(into, from, count, fromTick(memory, chosen, high), () -> isAnotherIssuing(memory, chosen));
            if (last != IdIssuer.NONE) {
                memory[PRESENT] = chosen;
            }
        }
        return noted(memory, last);
    }

    /** To be called before an id is returned: from then on no other call may get a lower tick. */
    private long noted(long[] memory, long id) {
        memory[LAST_ID] = id;
        highTick.raise(issuers.get(0).tickOf(id));
        return id;
    }

    /**
     * The thread's own worker id, else the next one that issues. If none does, the one that the clock reaches first; if none is granted more, the one
     * whose window ended last, since calls may wait longest for that.
     */
    private int choose(long[] memory, long high) {
        int home = (int) memory[HOME];
        for (int i = 0; i < issuers.size(); i++) {
            int candidate = (home + i) % issuers.size();
            if (isIssuing(memory, candidate, high)) {
                return candidate;
            }
        }
        int chosen = home;
        for (int i = 0; i < issuers.size(); i++) {
            chosen = isSooner(memory, i, chosen, high) ? i : chosen;
        }
        return chosen;
    }

    private boolean isSooner(long[] memory, int one, int other, long high) {
        long gap = gapTicks(memory, one, high);
        long otherGap = gapTicks(memory, other, high);
        return gap == otherGap
                ? issuers.get(one).endNanos() - issuers.get(other).endNanos() > 0
                : gap < otherGap;
    }

    private long gapTicks(long[] memory, int candidate, long high) {
        return issuers.get(candidate).gapTicks(fromTick(memory, candidate, high));
    }

    /** Whether a call may stop waiting for {@code chosen}, since another worker id has ids. */
    private boolean isAnotherIssuing(long[] memory, int chosen) {
        long high = highTick.get();
        for (int i = 0; i < issuers.size(); i++) {
            if (i != chosen && isIssuing(memory, i, high)) {
                return true;
            }
        }
        return false;
    }

    /** Asks from the very tick that the call would use: a call that is sent there must not be sent away again. */
    private boolean isIssuing(long[] memory, int candidate, long high) {
        return issuers.get(candidate).isIssuing(fromTick(memory, candidate, high));
    }

    private long fromTick(long[] memory, int chosen, long high) {
        return chosen == memory[PRESENT]
                ? high
                : Math.max(high, issuers.get(chosen).tickOf(memory[LAST_ID]) + 1);
    }
}
