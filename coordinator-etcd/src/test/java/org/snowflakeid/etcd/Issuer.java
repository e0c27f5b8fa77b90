// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/** Prints an id every few milliseconds, and what its status says every hundred, until it is killed. */
final class Issuer {

    private Issuer() {}

    /** @param arguments settings as {@code key=value} */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> keys = new HashMap<>();
        for (String each : arguments) {
            int equals = each.indexOf('=');
            keys.put(each.substring(0, equals), each.substring(equals + 1));
        }
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(keys))) {
            for (int i = 0; ; i++) {
                out.println(ids.nextId());
                if (i % 20 == 0) {
                    var status = ids.status();
                    out.println("until " + status.reservedUntil().orElseThrow() + " "
                            + status.lastError().orElse("well"));
                }
                Thread.sleep(5);
            }
        }
    }
}
