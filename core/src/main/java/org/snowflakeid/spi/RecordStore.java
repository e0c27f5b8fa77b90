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
 *   <li>Keys are ASCII, at most 200 characters, such as {@code snowflake/orders/marks/17}; values are up to 10,000 characters of
 *       Unicode. Both are compared character by character, never by a collation.
 *   <li>Each record is read linearizably: as the last write that was acknowledged to anybody left it, never from a cache or a replica.
 *       Several are not read at one moment.
 *   <li>A write is durable when it is answered, sent at most once, and never repeated behind the caller's back.
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
     * @param version by which the store knows this very write; nothing else reads it
     */
    record Entry(String value, Object version) {}

    /**
     * @param entries those that are there, by key
     * @param time the store's own clock during this call, to about a second: by it owners expire, and, if it is a {@link #isWitness witness}, clocks are vetted
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

        /** It may have been replaced, may still be, or never: a lost answer, a deadline, an interrupt. */
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
     * @throws CoordinatorException if certainly nothing was changed, or will be
     */
    Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout);

    /** See {@link WorkerCoordinator#connection()}. */
    default @Nullable Object connection() {
        return null;
    }

    /** Whether its clock is another one than the processes' own, so that theirs can be compared with it. */
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
