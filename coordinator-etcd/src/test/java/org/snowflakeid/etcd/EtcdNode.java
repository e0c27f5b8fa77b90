// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.tck.Node;

/** A process that uses this coordinator. */
final class EtcdNode extends Node {

    EtcdNode(String namespace, Duration timeToLive, Map<String, String> settings) {
        super("etcd", namespace, timeToLive, settings);
    }

    static EtcdNode at(String endpoints, String namespace) {
        return at(endpoints, namespace, TIME_TO_LIVE);
    }

    static EtcdNode at(String endpoints, String namespace, Duration timeToLive) {
        return new EtcdNode(namespace, timeToLive, Map.of("snowflake.etcd.endpoints", endpoints));
    }

    static EtcdNode at(String endpoints, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.etcd.endpoints", endpoints);
        return new EtcdNode("snowflake", TIME_TO_LIVE, all);
    }
}
