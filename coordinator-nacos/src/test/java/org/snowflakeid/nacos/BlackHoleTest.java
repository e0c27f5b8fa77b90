// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.util.List;
import java.util.Map;
import org.snowflakeid.testservers.BlackHoleContract;

class BlackHoleTest extends BlackHoleContract {

    BlackHoleTest() {
        super("snowflake.nacos.server-addr");
    }

    @Override
    protected List<Map<String, String>> keys(int port) {
        return List.of(
                Map.of("snowflake.nacos.server-addr", "127.0.0.1:" + port),
                Map.of("snowflake.nacos.server-addr", "https://127.0.0.1:" + port));
    }
}
