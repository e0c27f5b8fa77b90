// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.snowflakeid.http.Answer.text;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.http.Answer;
import org.snowflakeid.http.HttpCaller;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.support.Durability;

/**
 * Records in Consul's key-value store. Reads are {@code ?consistent}: the leader asks a quorum whether it still leads. Writes are {@code
 * ?cas=}, with the index of the last write or, for what must be absent, 0.
 */
final class ConsulStore implements RecordStore {

    /** As many are cheaper to read one by one than among their neighbours. */
    private static final int FEW = 6;

    private final ConsulSettings settings;
    private final HttpCaller agent;

    /** Whose records are used: as it is set, or else that of the first agent. Each has its own, and an agent's address may lead to another one. */
    private @Nullable String datacenter;

    /**
     * Where in Consul Enterprise the first record was, as a part of a query: a request that does not say it is about the namespace and the
     * partition of its token, which may be replaced by another one. Empty elsewhere.
     */
    private String namespace = "";

    /** The failures before the agent was last looked at. */
    private int failuresBeforeLook = -1;

    ConsulStore(ConsulSettings settings) {
        this.settings = settings;
        this.agent = new HttpCaller(settings.http());
        this.datacenter = settings.datacenter();
    }

    // ---- reading

    @Override
    public Reading read(List<String> keys, Duration timeout) {
        return read(keys, agent.deadline(timeout));
    }

    private Reading read(List<String> keys, Deadline deadline) {
        String asked = datacenter;
        Map<String, Entry> found = new HashMap<>();
        Instant time = Instant.EPOCH;
        if (keys.size() > FEW) {
            for (String prefix : prefixes(keys)) {
                time = read(prefix, "&recurse", found, deadline);
            }
            found.keySet().retainAll(Set.copyOf(keys));
        }
        // Of many the first too: those that an ACL token must not read are missing from a list, without a word.
        for (String key : keys.size() > FEW ? keys.subList(0, 1) : keys) {
            time = read(key, "", found, deadline);
        }
        if (failuresBeforeLook != agent.failures()) {
            lookAtAgent(deadline);
            failuresBeforeLook = agent.failures();
        }
        // Before it was named, perhaps another agent of another one answered.
        return asked == null && datacenter != null ? read(keys, deadline) : new Reading(found, time);
    }

    /** A few beginnings that all keys have, none of which is the beginning of another. */
    static Set<String> prefixes(List<String> keys) {
        Set<String> prefixes = Set.copyOf(keys);
        while (prefixes.size() > FEW) {
            int longest = prefixes.stream().mapToInt(String::length).max().orElseThrow();
            prefixes = prefixes.stream()
                    .map(key -> key.length() == longest ? key.substring(0, longest - 1) : key)
                    .collect(Collectors.toSet());
        }
        Set<String> widest = new TreeSet<>();
        // Sorted, so that what begins with another comes right after it.
        String last = null;
        for (String prefix : new TreeSet<>(prefixes)) {
            if (last == null || !prefix.startsWith(last)) {
                widest.add(prefix);
                last = prefix;
            }
        }
        return widest;
    }

    private Instant read(String key, String recurse, Map<String, Entry> found, Deadline deadline) {
        Answer answer = agent.ask(request(key, "consistent" + recurse), deadline);
        boolean complete = answer.header("X-Consul-Index").isPresent();
        if (!complete || (answer.status() != 200 && answer.status() != 404)) {
            throw answer.complaint(refusal(answer));
        }
        if (answer.header("X-Consul-Results-Filtered-By-ACLs").isPresent()) {
            throw agent.failure("hides keys below " + key + ". " + grant(), true);
        }
        if (answer.status() == 200) {
            // One after another: of 65,536 records the whole tree would take hundreds of megabytes.
            try (JsonReader records = new JsonReader(
                    new InputStreamReader(new ByteArrayInputStream(answer.bytes()), StandardCharsets.UTF_8))) {
                records.beginArray();
                while (records.hasNext()) {
                    JsonElement each = JsonParser.parseReader(records);
                    found.put(text(each, "Key"), entry(each, answer));
                }
                records.endArray();
            } catch (IOException | IllegalStateException | JsonParseException notRecords) {
                throw agent.foreign(answer);
            }
        }
        return agent.time(answer);
    }

    /** After each failure anew: what answers then may be another agent, or one that was started otherwise. */
    private void lookAtAgent(Deadline deadline) {
        Answer answer = agent.ask(request("/v1/agent/self"), deadline);
        JsonElement self = answer.json();
        String inMemory = text(self, "DebugConfig", "DevMode");
        String its = text(self, "Config", "Datacenter");
        if (datacenter == null && ConsulSettings.isDatacenter(its)) {
            datacenter = its;
        }
        if (answer.status() >= 500) {
            throw refusal(answer);
        }
        if (inMemory.isEmpty()) {
            settings.warn(agent.server() + " does not say whether it keeps what it acknowledges: /v1/agent/self "
                    + answer.said() + ". See to it that no agent is started with -dev, or grant the policy of "
                    + settings.tokenKey() + " agent_prefix \"\" { policy = \"read\" }."
                    + (datacenter == null
                            ? " Nor does it say of which datacenter it is, whose records are used: set "
                                    + ConsulSettings.DATACENTER + ", or another agent at this address may use others."
                            : ""));
        } else if (inMemory.equals("true") && text(self, "Config", "Server").equals("true") && its.equals(datacenter)) {
            String complaint = settings.durability()
                    .complaint(
                            agent.server() + " was started with -dev, and keeps all in memory",
                            "Consul",
                            "a -data-dir in place of -dev",
                            ConsulSettings.DURABILITY);
            if (settings.durability() == Durability.REQUIRE) {
                throw new CoordinatorException(complaint, true);
            }
            settings.warn(complaint);
        }
    }

    private Entry entry(JsonElement found, Answer answer) {
        String index = text(found, "ModifyIndex");
        if (index.isEmpty() || text(found, "Key").isEmpty()) {
            throw agent.foreign(answer);
        }
        if (namespace.isEmpty()) {
            namespace = named("&ns=", text(found, "Namespace")) + named("&partition=", text(found, "Partition"));
        }
        try {
            byte[] value = Base64.getDecoder().decode(text(found, "Value"));
            return new Entry(new String(value, StandardCharsets.UTF_8), index);
        } catch (IllegalArgumentException notBase64) {
            throw agent.foreign(answer);
        }
    }

    private static String named(String parameter, String name) {
        return name.matches("[A-Za-z0-9_-]+") ? parameter + name : "";
    }

    // ---- writing

    @Override
    public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        HttpRequest.Builder request = request(key, "cas=" + (expected == null ? 0 : expected.version()))
                .PUT(BodyPublishers.ofString(next, StandardCharsets.UTF_8));
        return agent.write(request, agent.deadline(timeout), ConsulStore::clear, this::refusal);
    }

    private static @Nullable Write clear(Answer answer) {
        String body = answer.status() == 200 ? answer.body().strip() : "";
        return switch (body) {
            case "true" -> new Write.Applied();
            case "false" -> new Write.Rejected();
            default -> null;
        };
    }

    // ---- requests and their failures

    private HttpRequest.Builder request(String key, String query) {
        return request(ConsulSettings.path(key, query, datacenter) + namespace);
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = agent.request(path);
        String token = settings.token();
        return token == null ? request : request.header("X-Consul-Token", token);
    }

    private CoordinatorException refusal(Answer answer) {
        String said = answer.said();
        return switch (answer.status()) {
            case 401, 403 -> agent.failure("refuses the ACL token: " + said + ". " + grant(), agent.isSettled());
            case 429 ->
                agent.failure(
                        "refuses more requests for now: " + said
                                + ". Raise its limits.http_max_conns_per_client or its request limits.",
                        false);
            // A web server of another kind. With 400 an encrypted port answers what is not encrypted, and so may a
            // proxy.
            case 200, 301, 302, 303, 307, 308, 404, 405 ->
                agent.foreign(answer, answer.header("X-Consul-Index").isEmpty());
            case 400 -> agent.foreign(answer);
            default ->
                agent.failure(
                        answer.body().contains("No path to datacenter")
                                ? "knows no way to datacenter '" + datacenter + "', whose records are used: " + said
                                        + ". Name an agent of it in " + ConsulSettings.URL
                                        + ", or join its datacenter with that one."
                                : (answer.body().contains("No cluster leader") ? "has no leader at present: " : "")
                                        + said + ".",
                        false);
        };
    }

    private String grant() {
        return "Grant its policy key_prefix \"" + settings.namespace() + "/\" { policy = \"write\" }, or check "
                + settings.tokenKey() + " and snowflake.namespace.";
    }

    // ---- life

    @Override
    public Object connection() {
        return agent.connection();
    }

    @Override
    public void close() {
        agent.close();
    }
}
