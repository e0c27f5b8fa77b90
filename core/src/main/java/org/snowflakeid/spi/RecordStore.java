// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/**
 * Records by key, each replaced by compare-and-set: all that a store has to be able to do for a {@link RecordCoordinator}. No
 * transactions over several records, no watches, no expiry.
 *
 * <ul>
 *   <li>Keys are ASCII, such as {@code snowflake/orders/marks/17}, and as long as the namespace makes them: refuse one that is too long for the
 *       store. Values are up to 10,000 characters of Unicode. Both are compared character by character, never by a collation.
 *   <li>Each record is read linearizably: as the last write acknowledged to any client left it, never from a cache or a replica. Several need not be
 *       read at one moment.
 *   <li>A write is durable when it is answered, and sent at most once for each call: no hidden retries.
 *   <li>Records are never deleted.
 *   <li>Every call ends within about its timeout. An interrupted one ends as soon as it can, and keeps the thread's interrupt flag.
 * </ul>
 *
 * <p>Calls come from one thread at a time, which may be another one later.
 */
public interface RecordStore extends AutoCloseable {

    /**
     * A record as it is stored.
     *
     * @param value exactly the characters written
     * @param version identifies this very write to the store; opaque to all others
     */
    record Entry(String value, Object version) {}

    /**
     * @param entries those that exist, by key
     * @param time the store's own clock during this call, to about a second: owners expire by it, and a {@link #isWitness witness} vets clocks by it
     */
    record Reading(Map<String, Entry> entries, Instant time) {
        public Reading {
            entries = Map.copyOf(entries);
        }
    }

    /** The answer to a compare-and-set. */
    sealed interface Write {

        /** The record was as expected, and is replaced. */
        record Applied() implements Write {}

        /** It was not as expected, and is unchanged. */
        record Rejected() implements Write {}

        /** The record may have been replaced, or may be later, or never: a lost answer, a deadline, an interrupt. */
        record Unknown(CoordinatorException cause) implements Write {}
    }

    /**
     * Reads records, each by itself.
     *
     * @throws CoordinatorException if they could not be read
     */
    Reading read(List<String> keys, Duration timeout);

    /**
     * Replaces a record.
     *
     * @param expected as it was read; null: it must be absent
     * @throws CoordinatorException if it is certain that nothing was changed, nor will be
     */
    Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout);

    /** See {@link WorkerCoordinator#connection()}. */
    default @Nullable Object connection() {
        return null;
    }

    /** Whether its clock is not that of the processes, so that theirs can be compared with it. */
    default boolean isWitness() {
        return true;
    }

    /** See {@link WorkerCoordinator#location()}. */
    default String location() {
        return "";
    }

    /** Ends connections and threads; never throws. */
    @Override
    void close();
}
