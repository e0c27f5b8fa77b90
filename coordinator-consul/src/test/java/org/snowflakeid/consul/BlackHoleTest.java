// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import java.util.List;
import java.util.Map;
import org.snowflakeid.testservers.BlackHoleContract;

class BlackHoleTest extends BlackHoleContract {

    BlackHoleTest() {
        super("snowflake.consul.url");
    }

    @Override
    protected List<Map<String, String>> keys(int port) {
        return List.of(
                Map.of("snowflake.consul.url", "http://127.0.0.1:" + port),
                Map.of("snowflake.consul.url", "https://127.0.0.1:" + port));
    }
}
