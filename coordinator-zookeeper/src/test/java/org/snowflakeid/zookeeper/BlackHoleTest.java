// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.util.List;
import java.util.Map;
import org.snowflakeid.testservers.BlackHoleContract;

class BlackHoleTest extends BlackHoleContract {

    BlackHoleTest() {
        super("snowflake.zookeeper.connect-string");
    }

    @Override
    protected List<Map<String, String>> keys(int port) {
        return List.of(
                Map.of("snowflake.zookeeper.connect-string", "127.0.0.1:" + port),
                Map.of(
                        "snowflake.zookeeper.connect-string",
                        "127.0.0.1:" + port,
                        "snowflake.zookeeper.tls.enabled",
                        "true"));
    }
}
