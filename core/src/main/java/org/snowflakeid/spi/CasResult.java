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
     * @param ownerHeld whether the owner entry of this worker id is there, is this process's, and its time to live was
     *     renewed; also true if only the answer to the renewal stayed away. Irrelevant for meta and release
     * @param serverTime the coordinator's own clock, to about a second, read during this call and never before it began; null if it
     *     reports none. Of an extension it is wanted wherever {@link Snapshot#serverTime} is, and as part of an answer that is had anyway:
     *     each of them is compared with it
     */
    record Applied(
            Stored written, boolean ownerHeld, @Nullable Instant serverTime) implements CasResult {

        /** Without a time, as of anything but an extension. */
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

    /** It may have been applied, may still be applied later, or never: a lost reply, a deadline, an interrupt. */
    record Unknown(CoordinatorException cause) implements CasResult {}
}
