// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;

/**
 * Everything that one read showed of a namespace at its coordinator.
 *
 * @param stored null if there is no record
 * @param meta null if there is none, or it can't be read
 * @param unreadable why it can't be read; empty if it can, or there is none
 * @param layout that of the record, or the configured one where there is none
 * @param askedMillis this machine's clock when the coordinator was asked
 * @param clockMillis this machine's clock when the answer came
 */
public record NamespaceView(
        @Nullable Stored stored,
        @Nullable NamespaceRecord meta,
        String unreadable,
        SnowflakeLayout layout,
        List<Slot> slots,
        @Nullable Instant serverTime,
        long askedMillis,
        long clockMillis) {

    NamespaceState state() {
        if (stored == null) {
            return NamespaceState.ABSENT;
        }
        return meta == null ? NamespaceState.UNREADABLE : meta.state();
    }

    /** Null if there is none or it makes no sense: no version of this library writes a limit outside the layout's ticks. */
    @Nullable
    Mark mark(Slot slot) {
        if (slot.mark() == null) {
            return null;
        }
        try {
            Mark mark = Mark.parse(slot.mark());
            return mark.limit() < 0 || mark.limit() > layout.lastTick() ? null : mark;
        } catch (IllegalArgumentException unreadableMark) {
            return null;
        }
    }

    /** The ends of what was granted, one for each mark that can be read; in ticks, exclusive. */
    Collection<Long> limits() {
        return limitsByWorkerId().values();
    }

    Map<Integer, Long> limitsByWorkerId() {
        Map<Integer, Long> limits = new HashMap<>();
        for (Slot slot : slots) {
            Mark mark = mark(slot);
            if (mark != null) {
                limits.put(slot.workerId(), mark.limit());
            }
        }
        return limits;
    }

    List<Integer> workerIdsWithUnreadableMarks() {
        return slots.stream()
                .filter(slot -> slot.mark() != null && mark(slot) == null)
                .map(Slot::workerId)
                .toList();
    }

    boolean hasMarks() {
        return slots.stream().anyMatch(slot -> slot.mark() != null);
    }

    /** In ticks; 0 where nothing is known of it. */
    long floor() {
        return meta == null ? 0 : meta.floor();
    }

    /** By whichever clock is ahead. */
    long nowMillis() {
        return serverTime == null ? clockMillis : Math.max(clockMillis, serverTime.toEpochMilli());
    }
}
