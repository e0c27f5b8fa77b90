// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.snowflakeid.SnowflakeStatus.State;

/**
 * Spreads threads over the worker ids of one generator. Each thread keeps to one of them, and leaves it only while that issues nothing. Where
 * it changes, it begins a millisecond after its last id, so that its ids increase whichever worker ids they carry.
 */
final class Striping {

    // What a thread remembers. In an array of the JDK's own, since a class of ours would keep an undeployed application
    // alive.
    private static final int HOME = 0;
    private static final int PRESENT = 1;
    private static final int LAST_ID = 2;

    private final List<Stripe> stripes;
    private final AtomicInteger threads = new AtomicInteger();
    private final ThreadLocal<long[]> ofThread = ThreadLocal.withInitial(this::newThread);

    Striping(List<Stripe> stripes) {
        this.stripes = stripes;
    }

    private long[] newThread() {
        int home = Math.floorMod(threads.getAndIncrement(), stripes.size());
        return new long[] {home, home, 0};
    }

    long nextId() {
        long[] memory = ofThread.get();
        long id = stripes.get((int) memory[PRESENT]).tryNextId();
        if (id == Stripe.NONE) {
            int chosen = choose(memory);
            id = stripes.get(chosen).issue(null, 1, fromTick(memory, chosen));
            memory[PRESENT] = chosen;
        }
        memory[LAST_ID] = id;
        return id;
    }

    /** Returns the last of them. */
    long nextIds(long[] ids) {
        long[] memory = ofThread.get();
        int chosen = choose(memory);
        long last = stripes.get(chosen).issue(ids, ids.length, fromTick(memory, chosen));
        memory[PRESENT] = chosen;
        memory[LAST_ID] = last;
        return last;
    }

    /** The thread's own, else the next one that issues; if none does, its own has to tell why. */
    private int choose(long[] memory) {
        int home = (int) memory[HOME];
        for (int i = 0; i < stripes.size(); i++) {
            int candidate = (home + i) % stripes.size();
            if (stripes.get(candidate).isIssuing()) {
                return candidate;
            }
        }
        return home;
    }

    private long fromTick(long[] memory, int chosen) {
        return chosen == memory[PRESENT] ? 0 : stripes.get(chosen).tickOf(memory[LAST_ID]) + 1;
    }

    /** Ids are issued as long as one worker id has some. */
    SnowflakeStatus status() {
        List<SnowflakeStatus> all = stripes.stream().map(Stripe::status).toList();
        SnowflakeStatus any = all.get(0);
        return new SnowflakeStatus(
                any.generator(),
                state(all),
                all.stream().flatMap(each -> each.workerIds().stream()).toList(),
                any.namespace(),
                any.coordinator(),
                all.stream().flatMap(each -> each.reservedUntil().stream()).max(Comparator.naturalOrder()),
                all.stream()
                        .map(SnowflakeStatus::drift)
                        .max(Comparator.naturalOrder())
                        .orElseThrow(),
                all.stream().anyMatch(SnowflakeStatus::ready),
                firstOf(all, SnowflakeStatus::lastError),
                firstOf(all, SnowflakeStatus::clockWarning));
    }

    private static State state(List<SnowflakeStatus> all) {
        if (all.stream().anyMatch(each -> each.state() == State.STARTING)) {
            return State.STARTING;
        }
        return all.stream()
                .map(SnowflakeStatus::state)
                .filter(state -> state == State.ACTIVE)
                .findFirst()
                .orElse(all.get(0).state());
    }

    private static Optional<String> firstOf(
            List<SnowflakeStatus> all, Function<SnowflakeStatus, Optional<String>> part) {
        return all.stream().flatMap(each -> part.apply(each).stream()).findFirst();
    }
}
