// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.tck.Node;

/** A process that uses this coordinator. */
final class RedisNode extends Node {

    RedisNode(String namespace, Duration timeToLive, Map<String, String> settings) {
        super("redis", namespace, timeToLive, settings);
    }

    static RedisNode at(String uri, String namespace) {
        return at(uri, namespace, TIME_TO_LIVE);
    }

    static RedisNode at(String uri, String namespace, Duration timeToLive) {
        return new RedisNode(namespace, timeToLive, Map.of("snowflake.redis.uri", uri));
    }

    static RedisNode at(String uri, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("snowflake.redis.uri", uri);
        return new RedisNode("snowflake", TIME_TO_LIVE, all);
    }
}
