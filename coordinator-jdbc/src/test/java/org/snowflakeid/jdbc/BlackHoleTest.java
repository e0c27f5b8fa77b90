// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.snowflakeid.testservers.BlackHoleContract;

class BlackHoleTest extends BlackHoleContract {

    BlackHoleTest() {
        super("does not answer in time (no connection was available)");
    }

    @Override
    protected List<Map<String, String>> keys(int port) {
        return Stream.of("postgresql:", "mariadb:", "h2:tcp:")
                .map(kind -> Map.of(
                        "snowflake.coordinator",
                        "jdbc",
                        "snowflake.jdbc.url",
                        "jdbc:" + kind + "//127.0.0.1:" + port + "/ids"))
                .toList();
    }
}
