// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.records.Mark;

/** Which process was granted which ticks of a namespace, as written into its marks, and which of them were issued. */
final class Ledger {

    /** @param holder whose write it was; null: it was granted to no process */
    private record Span(long from, long until, @Nullable Machine holder) {}

    /** @param by the first machine that issued it */
    record Issued(long tick, @Nullable Machine by) {
        private static final Issued NONE = new Issued(-1, null);
    }

    private final Map<Integer, Long> limits = new HashMap<>();
    private final Map<Integer, List<Span>> spans = new HashMap<>();
    private final Map<Integer, Issued> highestIssued = new HashMap<>();

    /**
     * Notes a mark that is about to be stored.
     *
     * @param holder who is granted what it adds; null: no process
     */
    void write(@Nullable Machine holder, int id, Mark after) {
        List<Span> granted = spans.computeIfAbsent(id, first -> new ArrayList<>());
        long limit = limits.getOrDefault(id, 0L);
        limits.put(id, after.limit());
        while (!granted.isEmpty() && granted.get(granted.size() - 1).until > after.limit()) {
            Span trimmed = granted.remove(granted.size() - 1);
            if (trimmed.from < after.limit()) {
                granted.add(new Span(trimmed.from, after.limit(), trimmed.holder));
            }
        }
        if (after.limit() <= limit) {
            return;
        }
        long from = Math.max(limit, after.from());
        Span last = granted.isEmpty() ? null : granted.get(granted.size() - 1);
        if (last != null && last.until == from && last.holder == holder) {
            granted.set(granted.size() - 1, new Span(last.from, after.limit(), holder));
        } else {
            granted.add(new Span(from, after.limit(), holder));
        }
    }

    /** Up to where ticks of a worker id were granted; 0: none were. */
    long limit(int id) {
        return limits.getOrDefault(id, 0L);
    }

    /** Above all ticks that were granted to a process. */
    long highestGranted() {
        return spans.values().stream()
                .flatMap(List::stream)
                .filter(span -> span.holder != null)
                .mapToLong(Span::until)
                .max()
                .orElse(0);
    }

    /** Null: it was granted to no process, or it is not known to which. */
    @Nullable
    Machine holder(int id, long tick) {
        List<Span> granted = spans.getOrDefault(id, List.of());
        for (int i = granted.size() - 1; i >= 0; i--) {
            Span span = granted.get(i);
            if (tick >= span.from && tick < span.until) {
                return span.holder;
            }
        }
        return null;
    }

    /** Whether any other process was granted something of it. */
    boolean isGrantedToOthers(int id, Machine process) {
        return spans.getOrDefault(id, List.of()).stream()
                .anyMatch(span -> span.holder != null && !span.holder.equals(process));
    }

    void issued(int id, long tick, Machine by) {
        if (tick > highestIssued(id).tick) {
            highestIssued.put(id, new Issued(tick, by));
        }
    }

    /** Tick -1: none. */
    Issued highestIssued(int id) {
        return highestIssued.getOrDefault(id, Issued.NONE);
    }

    /** The coordinator lost acknowledged data: from here on it is not known which process was granted what. */
    void forget() {
        limits.clear();
        spans.clear();
    }
}
