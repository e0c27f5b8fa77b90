// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.snowflakeid.support.Durability;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Whether the server keeps what it acknowledges: judged for each new connection, and now and then for one that is open. What the server does
 * not tell, or not to this user, is a warning.
 */
final class ServerCheck {
    private static final String REWRITING =
            "is rewriting its append-only file. If the file was switched on just now, a crash before the end loses what"
                    + " the server acknowledged.";

    private final RedisSettings settings;
    private final Map<String, String> seen = new HashMap<>();

    /** What it refuses to say. */
    private final List<String> refused = new ArrayList<>();

    /** What its answers lack. */
    private final List<String> lacking = new ArrayList<>();

    /** What makes it lose records, as it would be written in its configuration. */
    private final List<String> losses = new ArrayList<>();

    /** In place of these. */
    private final List<String> remedies = new ArrayList<>();

    private ServerCheck(RedisSettings settings) {
        this.settings = settings;
    }

    /** @throws JedisDataException if it does not let this client in */
    static ServerCheck look(RedisSettings settings, Connection connection) {
        ServerCheck check = new ServerCheck(settings);
        check.look(connection);
        return check;
    }

    private void look(Connection connection) {
        connection.sendCommand(Command.INFO);
        // Both that end so, in one request that servers of any age know.
        connection.sendCommand(Command.CONFIG, "GET", "*appendfsync*");
        note(
                "INFO",
                () -> new String((byte[]) connection.getOne(), UTF_8).lines().forEach(line -> {
                    int colon = line.indexOf(':');
                    if (colon > 0) {
                        seen.put(
                                line.substring(0, colon),
                                line.substring(colon + 1).strip());
                    }
                }),
                "aof_enabled",
                "maxmemory_policy");
        note(
                "CONFIG GET",
                () -> {
                    List<?> pairs = (List<?>) connection.getOne();
                    for (int i = 0; i + 1 < pairs.size(); i += 2) {
                        seen.put(
                                new String((byte[]) pairs.get(i), UTF_8), new String((byte[]) pairs.get(i + 1), UTF_8));
                    }
                },
                "appendfsync",
                "no-appendfsync-on-rewrite");
    }

    /** @param wanted what its answer must have */
    private void note(String command, Runnable reading, String... wanted) {
        try {
            reading.run();
        } catch (JedisDataException e) {
            if (!RedisFailure.isAboutTheCommand(e)) {
                throw e;
            }
            refused.add(command + " (" + e.getMessage() + ")");
            return;
        }
        List<String> absent =
                Stream.of(wanted).filter(name -> !seen.containsKey(name)).toList();
        if (!absent.isEmpty()) {
            lacking.add(command + " lacks " + String.join(", ", absent));
        }
    }

    /**
     * Returns warnings.
     *
     * @throws RedisFailure if the server must not be used
     */
    List<String> judgeNew() throws RedisFailure {
        List<String> warnings = judgeOpen();
        if (mayHaveNoWholeFileYet()) {
            if (isRequired()) {
                throw RedisFailure.notYet(settings, REWRITING + " It is asked again.");
            }
            warnings.add(warning(REWRITING));
        }
        return warnings;
    }

    /**
     * The same for a connection that was judged before. A rewrite does not stop it: it is an ordinary one, unless the file was switched off
     * and on since the last look.
     */
    List<String> judgeOpen() throws RedisFailure {
        // Redis, and Valkey under its own name.
        String mode = seen.getOrDefault("redis_mode", seen.getOrDefault("server_mode", "standalone"));
        if (mode.equals("sentinel")) {
            throw refused(
                    "is a Sentinel, and no server of records. Name the server itself in " + RedisSettings.URI + ".");
        }
        if (mode.equals("cluster") || is("cluster_enabled", "1")) {
            throw refused(RedisFailure.isACluster());
        }
        if (is("role", "slave")) {
            // It may be about to be promoted.
            throw RedisFailure.notYet(
                    settings,
                    "is a replica (role slave), which lags behind its primary " + seen.get("master_host") + ":"
                            + seen.get("master_port") + ". Name the primary in " + RedisSettings.URI + ".");
        }
        String role = seen.getOrDefault("role", "master");
        if (!role.equals("master")) {
            throw refused(
                    "has the role " + role + ", and may take writes that other servers take too: ids would repeat."
                            + " Name a primary that is the only one in " + RedisSettings.URI + ".");
        }
        if (is("loading", "1")) {
            // Meanwhile it says that it has no append-only file.
            throw RedisFailure.answered(settings, new JedisDataException("LOADING it reads its data"));
        }
        if (is("aof_enabled", "0")) {
            loses("appendonly no", "appendonly yes");
        }
        String policy = seen.getOrDefault("appendfsync", "always");
        if (!policy.equals("always")) {
            loses("appendfsync " + policy, "appendfsync always");
        }
        if (is("no-appendfsync-on-rewrite", "yes")) {
            loses("no-appendfsync-on-rewrite yes", "no-appendfsync-on-rewrite no");
        }
        // Those that evict only what expires never evict a record.
        if (seen.getOrDefault("maxmemory_policy", "").startsWith("allkeys-")) {
            loses("maxmemory-policy " + seen.get("maxmemory_policy"), "maxmemory-policy noeviction");
        }
        if (!losses.isEmpty() && isRequired()) {
            throw refused(complaint());
        }
        return warnings();
    }

    /** Which run of which server it is; empty: it does not say. */
    String run() {
        return seen.getOrDefault("run_id", "");
    }

    boolean isPrimary() {
        return is("role", "master");
    }

    private boolean isRequired() {
        return settings.access().durability() == Durability.REQUIRE;
    }

    private void loses(String found, String remedy) {
        losses.add(found);
        remedies.add(remedy);
    }

    private String complaint() {
        return settings.access()
                .durability()
                .complaint(
                        "has " + String.join(", ", losses),
                        "redis",
                        String.join(", ", remedies) + " by CONFIG SET and in redis.conf",
                        RedisSettings.DURABILITY);
    }

    /**
     * After CONFIG SET appendonly yes the server says at once that it has a file, but begins with a rewrite, and has no whole file until the
     * rewrite ends. Nothing in INFO tells it from any other: not aof_base_size, which keeps its value while the file is switched off.
     */
    private boolean mayHaveNoWholeFileYet() {
        return is("aof_enabled", "1") && (is("aof_rewrite_in_progress", "1") || is("aof_rewrite_scheduled", "1"));
    }

    private boolean is(String name, String value) {
        return value.equals(seen.get(name));
    }

    private RedisFailure refused(String complaint) {
        return RedisFailure.refused(settings, complaint);
    }

    private List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (!losses.isEmpty()) {
            warnings.add(warning(complaint()));
        }
        if (!refused.isEmpty()) {
            warnings.add(warning("does not say whether it keeps what it acknowledges: it refuses "
                    + String.join(" and ", refused)
                    + ". See to it that appendonly is yes, appendfsync always and maxmemory-policy noeviction, or"
                    + " allow this user +info and +config|get."));
        }
        if (!lacking.isEmpty()) {
            warnings.add(
                    warning(
                            "does not say whether it keeps what it acknowledges: its answer to "
                                    + String.join(", and that to ", lacking)
                                    + ". It may be another software than Redis. See in its documentation that a write is on its disk when"
                                    + " it is acknowledged, and that it never evicts what does not expire: else ids may be issued twice."));
        }
        String replicas = seen.get("connected_slaves");
        if (replicas != null && !replicas.equals("0")) {
            warnings.add(warning("has replicas (" + replicas + "). They lag behind: if one of them is made the primary,"
                    + " records that were acknowledged are lost, and ids may be issued twice. Never fail over"
                    + " without 'snowflake-operator restore' afterwards."));
        }
        return warnings;
    }

    private String warning(String danger) {
        return "snowflake '" + settings.generator() + "': redis (" + settings.access() + ") " + danger;
    }
}
