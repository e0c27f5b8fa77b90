// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.snowflakeid.testservers.RedisServer;

/** A Redis that synchronizes its file always. */
final class ChaosOnRedis extends ServersUnderChaos<RedisServer> {

    /** Edits a worker id's record to its first line alone, or to another time in the second, unless a client has replaced it. */
    private static final String EDIT_OWNER = """
            local record = redis.call('GET', KEYS[1])
            local edited = record and string.gsub(record, ARGV[1], ARGV[2])
            if not record or edited == record then return 0 end
            redis.call('SET', KEYS[1], edited)
            return 1
            """;

    ChaosOnRedis(int members) {
        super(RedisServer.builder().startAlone().members());
        if (members != 1) {
            throw new IllegalArgumentException("one server, not " + members);
        }
    }

    @Override
    public String coordinator() {
        return "redis";
    }

    @Override
    public String version() {
        return "Redis " + server(0).info("redis_version") + ", appendfsync "
                + server(0)
                        .command("CONFIG", "GET", "appendfsync")
                        .lines()
                        .skip(1)
                        .findFirst()
                        .orElse("unknown");
    }

    @Override
    public Map<String, String> settings(List<Integer> ports) {
        return Map.of("snowflake.redis.uri", "redis://127.0.0.1:" + ports.get(0));
    }

    @Override
    public String writing() {
        return "EVAL";
    }

    private boolean editOwner(String namespace, int workerId, String pattern, String next) {
        return ask(server -> server.command("EVAL", EDIT_OWNER, "1", namespace + "/marks/" + workerId, pattern, next))
                .filter("1"::equals)
                .isPresent();
    }

    @Override
    public boolean deleteOwner(String namespace, int workerId) {
        return editOwner(namespace, workerId, "\n.*", "");
    }

    @Override
    public boolean expireOwner(String namespace, int workerId) {
        return editOwner(namespace, workerId, "\nexpires=[^ ]*", "\nexpires=2020-01-01T00:00:00Z");
    }

    @Override
    public Map<Integer, String> marks(String namespace) {
        String prefix = namespace + "/marks/";
        Map<Integer, String> marks = new TreeMap<>();
        Optional<String> keys = ask(server -> server.command("KEYS", prefix + "*"));
        keys.orElseThrow(() -> new IllegalStateException("the server does not answer"))
                .lines()
                .forEach(key -> marks.put(
                        Integer.valueOf(key.substring(prefix.length())),
                        server(0).command("GET", key).lines().findFirst().orElse("")));
        return marks;
    }
}
