// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import java.util.List;
import java.util.Map;
import org.snowflakeid.testservers.BlackHoleContract;

class BlackHoleTest extends BlackHoleContract {

    BlackHoleTest() {
        super("snowflake.kubernetes.url");
    }

    @Override
    protected List<Map<String, String>> keys(int port) {
        return List.of(
                Map.of(
                        "snowflake.kubernetes.url",
                        "http://127.0.0.1:" + port,
                        "snowflake.kubernetes.namespace",
                        "apps"),
                Map.of(
                        "snowflake.kubernetes.url",
                        "https://127.0.0.1:" + port,
                        "snowflake.kubernetes.namespace",
                        "apps"));
    }
}
