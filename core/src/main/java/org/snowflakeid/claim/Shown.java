// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.Quoted;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/**
 * What the coordinator showed during a start, before it could not be reached any more: a note that contradicts it is void. Used by the keeper's
 * thread.
 */
public final class Shown {

    private boolean any;
    private @Nullable Stored meta;
    private final Map<Integer, Slot> slots = new HashMap<>();

    /** @param answer of any call; ignored if it shows nothing */
    public void note(Object answer) {
        if (answer instanceof Snapshot read) {
            any = true;
            meta = read.meta();
            read.slots().forEach(this::note);
        } else if (answer instanceof CasResult.Rejected rejected) {
            any = true;
            meta = rejected.meta();
            if (rejected.seen() != null) {
                note(rejected.seen());
            }
        }
    }

    private void note(Slot slot) {
        slots.put(slot.workerId(), slot);
    }

    /** Frees the slots when the start is over. */
    public void forget() {
        slots.clear();
    }

    /** Why what was noted is void; empty: nothing that was shown contradicts it. */
    public Optional<String> contradiction(NamespaceRecord noted, int workerId, Mark mark) {
        if (!any) {
            return Optional.empty();
        }
        if (!isOf(noted)) {
            return Optional.of("at this start the coordinator did not have the namespace that it is of, but "
                    + (meta == null ? "none." : Quoted.of(meta.value()) + "."));
        }
        Slot slot = slots.get(workerId);
        if (slot == null || goesOnFrom(mark, slot.mark())) {
            return Optional.empty();
        }
        return Optional.of("at this start the coordinator did not have what it was granted, but "
                + (slot.mark() == null ? "nothing." : Quoted.of(slot.mark().value()) + "."));
    }

    private boolean isOf(NamespaceRecord noted) {
        try {
            return meta != null && NamespaceRecord.parse(meta).id().equals(noted.id());
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /** The process that wrote the note may have made one more write, and not noted it. */
    private static boolean goesOnFrom(Mark noted, @Nullable Stored seen) {
        try {
            return seen != null
                    && (seen.value().equals(noted.value()) || Claim.isLawful(noted, Mark.parse(seen), true));
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }
}
