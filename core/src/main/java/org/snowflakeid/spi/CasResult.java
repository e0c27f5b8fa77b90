// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/** The answer to a compare-and-set. */
public sealed interface CasResult {

    /**
     * Every compare held, and the write is durable.
     *
     * @param written what is stored there now; its value equals the {@code next} of the call
     * @param ownerHeld whether this process's owner entry is there and its time to live was renewed; true also if only the answer to that renewal is
     *     missing. Irrelevant for meta and release
     * @param serverTime the coordinator's own clock, to about a second, read during this call and never before it began; null if it reports none. A
     *     coordinator with a {@link Snapshot#serverTime} also reports it in answers to extensions, which core compares with its clock, but makes no
     *     extra call for it
     */
    record Applied(
            Stored written, boolean ownerHeld, @Nullable Instant serverTime) implements CasResult {

        /** Without a time, which is expected of extensions only. */
        public Applied(Stored written, boolean ownerHeld) {
            this(written, ownerHeld, null);
        }
    }

    /**
     * A compare failed, nothing was changed. What is seen may be the caller's own earlier write.
     *
     * @param meta the namespace record at that moment; null if absent
     * @param seen the slot at that moment; null for {@link WorkerCoordinator#writeMeta}
     */
    record Rejected(@Nullable Stored meta, @Nullable Slot seen) implements CasResult {}

    /** The write may have been applied, or may be later, or never: a lost answer, a deadline, an interrupt. */
    record Unknown(CoordinatorException cause) implements CasResult {}
}
