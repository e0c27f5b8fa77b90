// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.RecordStore;

/** A store that shows one record, and takes none. */
record OneRecord(String key, String value) implements RecordStore {

    @Override
    public Reading read(List<String> keys, Duration timeout) {
        Map<String, Entry> entries = keys.contains(key) ? Map.of(key, new Entry(value, 1)) : Map.of();
        return new Reading(entries, Instant.now());
    }

    @Override
    public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        return new Write.Rejected();
    }

    @Override
    public void close() {}
}
