// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.tck.Node;

/** A process that uses this coordinator. */
final class JdbcNode extends Node {

    JdbcNode(String namespace, Duration timeToLive, Map<String, String> settings) {
        super("jdbc", namespace, timeToLive, settings);
    }

    static JdbcNode at(String url, String namespace) {
        // Which some databases of tests are.
        Map<String, String> settings = Map.of("snowflake.jdbc.url", url, "snowflake.jdbc.in-memory", "allow");
        return new JdbcNode(namespace, TIME_TO_LIVE, settings);
    }

    static JdbcNode at(String url, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.jdbc.url", url);
        return new JdbcNode("snowflake", TIME_TO_LIVE, all);
    }
}
