// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.tck.Node;

/** A process that uses this coordinator. */
final class NacosNode extends Node {

    NacosNode(String namespace, Duration timeToLive, Map<String, String> settings) {
        super("nacos", namespace, timeToLive, settings);
    }

    static NacosNode at(String url, String namespace) {
        return at(url, namespace, TIME_TO_LIVE);
    }

    static NacosNode at(String url, String namespace, Duration timeToLive) {
        return new NacosNode(namespace, timeToLive, Map.of("snowflake.nacos.server-addr", url));
    }

    static NacosNode at(String url, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.nacos.server-addr", url);
        return new NacosNode("snowflake", TIME_TO_LIVE, all);
    }
}
