// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.OwnerEntry;
import org.snowflakeid.spi.Slot;

/**
 * Chooses the worker id to try, at random among those that can be used at once: with the lowest or the longest unused first, processes that start
 * together would all try the same one.
 *
 * @param now vetted, in ticks
 * @param maxSkew a worker id whose mark ended longer ago than this is free, whatever its owner entry says; in ticks
 * @param horizon no claim begins further ahead of now; in ticks
 */
public record SlotChoice(long now, long maxSkew, long horizon, Platform platform) {

    /** No right clock reserves so far ahead, unless the windows are as long. */
    private static final long POISONED = 3_600_000;

    /**
     * A worker id worth trying.
     *
     * @param earlier its mark, null if it was never claimed
     * @param evict whether it has an owner, which stopped extending
     */
    record Candidate(Slot slot, @Nullable Mark earlier, boolean evict) {

        long limit() {
            return earlier == null ? 0 : earlier.limit();
        }
    }

    /** One whose earlier grants are all in the past. */
    Optional<Candidate> usableNow(List<Slot> slots) {
        List<Candidate> usable =
                free(slots).stream().filter(c -> c.limit() <= now).toList();
        return anyOf(usable);
    }

    /** One of the nearest eighth of those whose earlier grants end in the future. */
    Optional<Candidate> usableSoon(List<Slot> slots) {
        List<Candidate> ahead = free(slots).stream()
                .filter(c -> c.limit() <= now + horizon)
                .sorted(Comparator.comparingLong(Candidate::limit))
                .toList();
        return anyOf(ahead.subList(0, (ahead.size() + 7) / 8));
    }

    private List<Candidate> free(List<Slot> slots) {
        List<Candidate> free = new ArrayList<>();
        for (Slot slot : slots) {
            Mark earlier = null;
            if (slot.mark() != null) {
                try {
                    earlier = Mark.parse(slot.mark());
                } catch (IllegalArgumentException unreadable) {
                    continue;
                }
            }
            boolean owned = slot.owner() != null;
            boolean ended = earlier != null && earlier.limit() + maxSkew < now;
            if (!owned || ended) {
                free.add(new Candidate(slot, earlier, owned));
            }
        }
        return free;
    }

    private Optional<Candidate> anyOf(List<Candidate> candidates) {
        return candidates.isEmpty()
                ? Optional.empty()
                : Optional.of(candidates.get((int) Long.remainderUnsigned(platform.randomLong(), candidates.size())));
    }

    /** Why no worker id is available, with counts. */
    public String describe(List<Slot> slots) {
        int held = 0;
        int poisoned = 0;
        int unreadable = 0;
        long nearest = Long.MAX_VALUE;
        String oldest = "";
        for (Slot slot : slots) {
            long limit;
            try {
                limit = slot.mark() == null ? 0 : Mark.parse(slot.mark()).limit();
            } catch (IllegalArgumentException e) {
                unreadable++;
                continue;
            }
            if (limit > now + Math.max(POISONED, 2 * horizon)) {
                poisoned++;
            } else if (slot.owner() != null) {
                held++;
                oldest = oldest.isEmpty() ? OwnerEntry.describe(slot.owner()) : oldest;
            } else {
                nearest = Math.min(nearest, limit);
            }
        }
        StringBuilder text = new StringBuilder();
        text.append(held).append(" of ").append(slots.size()).append(" worker ids are held");
        if (held > 0) {
            text.append(" (one of them by ").append(oldest).append(')');
        }
        if (nearest != Long.MAX_VALUE) {
            text.append(", the others are reserved by processes that ended without giving them back, the nearest for ")
                    .append(Math.max(0, nearest - now))
                    .append(" ms");
        }
        if (poisoned > 0) {
            text.append(", ")
                    .append(poisoned)
                    .append(
                            " are reserved more than an hour ahead, by a process whose clock was wrong (if all are: move the"
                                    + " namespace to a layout with one more bit of worker ids, see \"Reserved far ahead\" in the runbook)");
        }
        if (unreadable > 0) {
            text.append(", ").append(unreadable).append(" have marks that cannot be read");
        }
        return text.toString();
    }
}
