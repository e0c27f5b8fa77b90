// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.tck.Node;

/** A process that uses this coordinator. */
final class ConsulNode extends Node {

    ConsulNode(String namespace, Duration timeToLive, Map<String, String> settings) {
        super("consul", namespace, timeToLive, settings);
    }

    static ConsulNode at(String url, String namespace) {
        return at(url, namespace, TIME_TO_LIVE);
    }

    static ConsulNode at(String url, String namespace, Duration timeToLive) {
        return new ConsulNode(namespace, timeToLive, Map.of("snowflake.consul.url", url));
    }

    static ConsulNode at(String url, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.consul.url", url);
        return new ConsulNode("snowflake", TIME_TO_LIVE, all);
    }
}
