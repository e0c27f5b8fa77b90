// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.records.Mark;

/**
 * Which process was granted which ticks, as written into the marks. No two grants may overlap, and every id must lie in a grant of
 * the generator that issued it: then no two generators can issue the same id, whether or not they happen to.
 */
final class Grants {

    /** @param chain the claim that the whole span goes back to */
    private record Span(String store, int workerId, int chain, long from, long until) {}

    private final List<Span> spans = new ArrayList<>();
    private final Map<String, Integer> chainOfToken = new HashMap<>();
    private final Map<Integer, Object> holderOfChain = new HashMap<>();
    private final Map<Integer, Long> highest = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private int chains;

    /** Notes a mark that is about to be stored. */
    void write(String store, int id, @Nullable Mark before, Mark after) {
        long limit = before == null ? 0 : before.limit();
        String what = store + ", worker id " + id + ": " + before + " -> " + after;
        if (after.limit() <= highest.getOrDefault(id, -1L)) {
            violations.add("a mark at or below a tick that was issued: " + what);
        }
        if (after.token().startsWith("free-")) {
            trim(store, id, before, after, what);
        } else if (before != null && after.count() == before.count() + 1 && after.from() == before.from()) {
            // A jump of the clock changes the token within a claim.
            Integer chain = chainOfToken.get(before.token());
            if (chain == null || after.limit() < limit) {
                violations.add("an extension of nothing, or backwards: " + what);
                return;
            }
            chainOfToken.put(after.token(), chain);
            add(new Span(store, id, chain, limit, after.limit()), what);
        } else {
            if (after.count() != 0 || after.from() < limit || chainOfToken.containsKey(after.token())) {
                violations.add("neither a claim nor an extension: " + what);
            }
            chainOfToken.put(after.token(), chains);
            add(new Span(store, id, chains++, after.from(), after.limit()), what);
        }
    }

    private void trim(String store, int id, @Nullable Mark before, Mark after, String what) {
        Integer chain = before == null ? null : chainOfToken.get(before.token());
        for (Span span : List.copyOf(spans)) {
            if (span.workerId == id && span.store.equals(store) && span.until > after.limit()) {
                if (chain == null || span.chain != chain) {
                    violations.add("a trim of another's grant " + span + ": " + what);
                }
                spans.remove(span);
                if (span.from < after.limit()) {
                    spans.add(new Span(store, id, span.chain, span.from, after.limit()));
                }
            }
        }
    }

    private void add(Span added, String what) {
        for (Span span : spans) {
            boolean overlap = added.workerId == span.workerId && added.from < span.until && span.from < added.until;
            if (overlap) {
                violations.add("overlaps " + span + ": " + what);
            }
        }
        spans.add(added);
    }

    void issued(Object generator, int workerId, long tick) {
        highest.merge(workerId, tick, Math::max);
        String what = "tick " + tick + " under worker id " + workerId + " of " + generator;
        for (Span span : spans) {
            if (span.workerId == workerId && tick >= span.from && tick < span.until) {
                Object holder = holderOfChain.putIfAbsent(span.chain, generator);
                if (holder != null && !holder.equals(generator)) {
                    violations.add(what + " was granted to " + holder);
                }
                return;
            }
        }
        violations.add(what + " was granted to no process; grants " + spans);
    }

    List<String> violations() {
        return violations;
    }
}
