// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/** Ours as an application has it, except that its worker ids are leased from this process itself. */
final class Ours implements Generator.IntoArrays {

    private static final Logger LOGGER = Logger.getLogger("org.snowflakeid");

    private final LeasedSnowflake snowflake;

    /** @param settings besides the defaults */
    Ours(Map<String, String> settings) {
        LOGGER.setLevel(Level.SEVERE);
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.coordinator", "memory");
        all.put("snowflake.memory.store", UUID.randomUUID().toString());
        snowflake = LeasedSnowflake.open(SnowflakeSettings.of(all));
    }

    @Override
    public long nextId() {
        return snowflake.nextId();
    }

    @Override
    public Object nextIds(int count) {
        return snowflake.nextIds(count);
    }

    @Override
    public void nextIds(long[] into, int from, int count) {
        snowflake.nextIds(into, from, count);
    }

    @Override
    public void close() {
        snowflake.close();
    }
}
