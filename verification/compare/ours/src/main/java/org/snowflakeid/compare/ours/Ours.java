// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.ours;

import java.util.Map;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.compare.instance.Ids;
import org.snowflakeid.compare.instance.Peer;

/** As "In plain Java" of our documentation has it. */
public final class Ours implements Peer {

    @Override
    public Ids start(Map<String, String> settings) {
        LeasedSnowflake snowflake = LeasedSnowflake.open(SnowflakeSettings.of(settings));
        return new Ids() {
            @Override
            public long next() {
                return snowflake.nextId();
            }

            @Override
            public void close() {
                snowflake.close();
            }
        };
    }
}
