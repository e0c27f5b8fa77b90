// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.util.List;
import java.util.Map;
import org.snowflakeid.testservers.BlackHoleContract;

class BlackHoleTest extends BlackHoleContract {

    BlackHoleTest() {
        super("snowflake.redis.uri");
    }

    @Override
    protected List<Map<String, String>> keys(int port) {
        return List.of(
                Map.of("snowflake.redis.uri", "redis://127.0.0.1:" + port),
                Map.of("snowflake.redis.uri", "rediss://127.0.0.1:" + port));
    }
}
