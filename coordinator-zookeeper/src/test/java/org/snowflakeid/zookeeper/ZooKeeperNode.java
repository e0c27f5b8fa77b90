// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.tck.Node;

/** A process that uses this coordinator. */
final class ZooKeeperNode extends Node {

    ZooKeeperNode(String namespace, Duration timeToLive, Map<String, String> settings) {
        super("zookeeper", namespace, timeToLive, settings);
    }

    static ZooKeeperNode at(String servers, String namespace) {
        return at(servers, namespace, TIME_TO_LIVE);
    }

    static ZooKeeperNode at(String servers, String namespace, Duration timeToLive) {
        return new ZooKeeperNode(namespace, timeToLive, Map.of("snowflake.zookeeper.connect-string", servers));
    }

    static ZooKeeperNode at(String servers, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.zookeeper.connect-string", servers);
        return new ZooKeeperNode("snowflake", TIME_TO_LIVE, all);
    }
}
