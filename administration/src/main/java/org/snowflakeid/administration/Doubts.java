// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;

/**
 * What has to be accepted before a namespace is replaced, as one look at it shows.
 *
 * <p>Accepting a doubt covers only what it was about when the operator looked: meanwhile another operator may give the namespace another successor,
 * and the same doubt is then about that one.
 */
public final class Doubts {

    static final Doubts NONE = new Doubts();

    private final Map<NamespaceDoubt, String> reasons = new EnumMap<>(NamespaceDoubt.class);
    private final Map<NamespaceDoubt, Set<String>> subjects = new EnumMap<>(NamespaceDoubt.class);
    private final Map<NamespaceDoubt, String> records = new EnumMap<>(NamespaceDoubt.class);

    /** @param about what distinguishes it from another doubt of the same kind */
    void add(NamespaceDoubt doubt, Collection<?> about, String reason) {
        reasons.put(doubt, reason);
        subjects.put(doubt, about.stream().map(String::valueOf).collect(Collectors.toSet()));
    }

    /** @param id of the record that it is about; empty if an early version did not note it */
    void addOfRecord(NamespaceDoubt doubt, Optional<String> id, String reason) {
        add(doubt, id.map(Set::of).orElse(Set.of()), reason);
        id.ifPresent(known -> records.put(doubt, known));
    }

    /** For people. */
    Map<NamespaceDoubt, String> reasons() {
        return Collections.unmodifiableMap(reasons);
    }

    /** The ids of the records that doubts are about, where they are about one. */
    Map<NamespaceDoubt, String> records() {
        return Collections.unmodifiableMap(records);
    }

    Doubts without(Set<NamespaceDoubt> settled) {
        Doubts left = new Doubts();
        left.reasons.putAll(reasons);
        left.reasons.keySet().removeAll(settled);
        left.subjects.putAll(subjects);
        left.subjects.keySet().removeAll(settled);
        left.records.putAll(records);
        left.records.keySet().removeAll(settled);
        return left;
    }

    /** @throws NamespaceRefusedException unless all of them are accepted */
    void requireAccepted(NamespacePlace place, Set<NamespaceDoubt> accepted) {
        Doubts left = without(accepted);
        if (!left.reasons.isEmpty()) {
            throw NamespaceRefusedException.because(place, left);
        }
    }

    /** @throws NamespaceRefusedException if one of them is about something that it was not about in the look before */
    void requireNoneNewSince(Doubts before, NamespacePlace place) {
        reasons.forEach((doubt, reason) -> {
            Set<String> known = before.subjects.get(doubt);
            if (known == null || !known.containsAll(subjects.getOrDefault(doubt, Set.of()))) {
                throw place.refused(
                        Reason.CHANGED,
                        ": what there is to accept is not what it was, another process changed it meanwhile. " + reason
                                + " Look into it, then decide again.");
            }
        });
    }
}
