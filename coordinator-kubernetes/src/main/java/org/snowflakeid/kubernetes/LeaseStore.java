// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.snowflakeid.http.Answer.text;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.http.Answer;
import org.snowflakeid.http.HttpCaller;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.RecordStore;

/**
 * Records as {@code Lease} objects of one namespace of Kubernetes. They are read without a {@code resourceVersion}, which gives what is in
 * etcd now, and never what an API server remembers; the pages of a list are all of the moment of its first one.
 */
final class LeaseStore implements RecordStore {

    /** Few enough to be named in a URL. */
    private static final int NAMED = 100;

    private static final int PAGE = 500;

    /** So many leases may be looked for by their names. */
    private static final int FEW = 10;

    private final KubernetesSettings settings;
    private final Duration timeToLive;
    private final HttpCaller server;

    LeaseStore(KubernetesSettings settings, Duration timeToLive) {
        this.settings = settings;
        this.timeToLive = timeToLive;
        this.server = new HttpCaller(settings.http());
    }

    // ---- reading

    @Override
    public Reading read(List<String> keys, Duration timeout) {
        Deadline deadline = server.deadline(timeout);
        if (keys.size() == 1) {
            return get(keys.get(0), deadline);
        }
        Reading listed = list(keys, deadline);
        List<String> missing =
                keys.stream().filter(key -> !listed.entries().containsKey(key)).toList();
        boolean all = selection(keys).isEmpty();
        return all || (missing.size() > FEW && LeaseNames.areNeighbours(keys))
                ? listed
                : withThoseOfOtherLabels(listed, missing, deadline);
    }

    /** A generator that did not find its marks would stop for good. Of neighbours one is chosen, and read by itself before it is claimed. */
    private Reading withThoseOfOtherLabels(Reading listed, List<String> missing, Deadline deadline) {
        Map<String, Entry> found = new HashMap<>(listed.entries());
        missing.forEach(key -> found.putAll(get(key, deadline).entries()));
        return new Reading(found, listed.time());
    }

    private Reading get(String key, Deadline deadline) {
        Answer answer = server.ask(request("/" + LeaseNames.name(key)), deadline);
        if (answer.status() == 404 && missing(answer).equals("leases")) {
            return new Reading(Map.of(), server.time(answer));
        }
        JsonElement lease = answer.json();
        if (answer.status() != 200 || !text(lease, "kind").equals("Lease")) {
            throw answer.complaint(refusal(answer, "get"));
        }
        return new Reading(Map.of(key, entry(lease)), server.time(answer));
    }

    private Reading list(List<String> keys, Deadline deadline) {
        Map<String, String> wanted = new HashMap<>();
        keys.forEach(key -> wanted.put(LeaseNames.name(key), key));
        Map<String, Entry> found = new HashMap<>();
        String next = "";
        while (true) {
            Answer answer = server.ask(request("?limit=" + PAGE + selection(keys) + next), deadline);
            if (answer.status() == 410 && !next.isEmpty()) {
                // It took too long, and what was seen first is no longer known.
                found.clear();
                next = "";
                continue;
            }
            JsonElement page = answer.json();
            // Its kind is not the same everywhere.
            if (answer.status() != 200
                    || !(page instanceof JsonObject list && list.get("items") instanceof JsonArray items)) {
                throw answer.complaint(refusal(answer, "list"));
            }
            for (JsonElement lease : items) {
                String key = wanted.get(Lease.name(lease));
                if (key != null) {
                    found.put(key, entry(lease));
                }
            }
            String token = text(page, "metadata", "continue");
            if (token.isEmpty()) {
                return new Reading(found, server.time(answer));
            }
            next = "&continue=" + encoded(token);
        }
    }

    /**
     * Of a few by their labels. Of many, or of each from the first worker id on, all there are: what others do to labels hides none from
     * those who have to know all marks.
     */
    private static String selection(List<String> keys) {
        if (keys.size() > NAMED || LeaseNames.areTheFirst(keys)) {
            return "";
        }
        List<Map<String, String>> labels = keys.stream().map(LeaseNames::labels).toList();
        return "&labelSelector=" + encoded(in(LeaseNames.NAMESPACE, labels) + "," + in(LeaseNames.WORKER_ID, labels));
    }

    private static String in(String label, List<Map<String, String>> labels) {
        return labels.stream()
                .map(each -> each.get(label))
                .filter(Objects::nonNull)
                .distinct()
                .collect(Collectors.joining(",", label + " in (", ")"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Entry entry(JsonElement lease) {
        Entry entry = Lease.entry(lease);
        if (entry == null) {
            throw server.failure(
                    "has a Lease '" + Lease.name(lease) + "' in namespace '" + settings.namespace()
                            + "' that is not one of Snowflake ID's. Set snowflake.namespace or "
                            + KubernetesSettings.NAMESPACE + " to another one.",
                    true);
        }
        return entry;
    }

    // ---- writing

    @Override
    public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        JsonObject lease = Lease.next(key, expected, next, settings.namespace(), timeToLive);
        HttpRequest.Builder request = request(expected == null ? "" : "/" + LeaseNames.name(key))
                .header("Content-Type", "application/json")
                .method(expected == null ? "POST" : "PUT", BodyPublishers.ofString(lease.toString()));
        String verb = expected == null ? "create" : "update";
        return server.write(
                request, server.deadline(timeout), answer -> clear(answer, key, next), answer -> refusal(answer, verb));
    }

    private static @Nullable Write clear(Answer answer, String key, String next) {
        int status = answer.status();
        if ((status == 200 || status == 201) && Lease.holds(answer.json(), key, next)) {
            return new Write.Applied();
        }
        return status == 409 || (status == 404 && missing(answer).equals("leases")) ? new Write.Rejected() : null;
    }

    // ---- requests and their failures

    private HttpRequest.Builder request(String rest) {
        HttpRequest.Builder request = server.request(
                        "/apis/coordination.k8s.io/v1/namespaces/" + settings.namespace() + "/leases" + rest)
                .header("Accept", "application/json");
        String token = settings.token();
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    /** What an API server says is not there: {@code leases}, {@code namespaces}; empty if it says no such thing. */
    private static String missing(Answer answer) {
        JsonElement status = answer.json();
        return text(status, "reason").equals("NotFound") ? text(status, "details", "kind") : "";
    }

    private CoordinatorException refusal(Answer answer, String verb) {
        JsonElement status = answer.json();
        String reason = text(status, "reason");
        String said = text(status, "message");
        String where = "namespace '" + settings.namespace() + "'";
        boolean ofKubernetes = text(status, "kind").equals("Status");
        // What is refused before it is looked at is answered in plain text.
        if (!ofKubernetes && (answer.status() == 429 || answer.status() >= 500)) {
            said = answer.firstLine();
        } else if (!ofKubernetes) {
            return server.foreign(answer);
        }
        return switch (answer.status()) {
            case 401 -> unauthorized(answer, said);
            case 403 ->
                server.failure(
                        said.contains(" cannot " + verb + " ")
                                ? "forbids this client to " + verb + " leases in " + where + ": " + said
                                        + ". Grant get, list, create and update on leases of coordination.k8s.io there"
                                        + " (a Role and a RoleBinding), or check " + KubernetesSettings.NAMESPACE + "."
                                : "refuses to " + verb + " a lease in " + where + ": " + said + ".",
                        server.isSettled());
            case 404 ->
                server.failure(
                        missing(answer).equals("namespaces")
                                ? "has no " + where + ". Create it, or check " + KubernetesSettings.NAMESPACE + "."
                                : "answers 404 " + reason + ": " + said,
                        missing(answer).equals("namespaces"));
            case 429 ->
                server.failure(
                        "has too much to do and did nothing: " + said.replaceFirst("\\.$", "")
                                + ". It wants to be asked again "
                                + answer.header("Retry-After")
                                        .map(s -> "after " + s + " s")
                                        .orElse("later") + ".",
                        false);
            default ->
                server.failure(
                        "answers " + (answer.status() + " " + reason).strip() + ": " + said,
                        answer.status() == 422 || answer.status() == 413);
        };
    }

    /** Kubernetes replaces a token before it ends: if it has done so meanwhile, the next call will use the new one. */
    private CoordinatorException unauthorized(Answer answer, String said) {
        String used = answer.asked("Authorization").orElse(null);
        if (used == null) {
            return server.failure(
                    "wants to know who asks: " + said + ". Set " + KubernetesSettings.TOKEN_FILE + ", or "
                            + KubernetesSettings.TLS.cert() + " and " + KubernetesSettings.TLS.key() + ".",
                    true);
        }
        boolean replaced;
        try {
            replaced = !used.equals("Bearer " + settings.token());
        } catch (CoordinatorException halfWritten) {
            replaced = true;
        }
        return server.failure(
                "does not accept the token: " + said + ". Check " + settings.tokenFile() + " ("
                        + KubernetesSettings.TOKEN_FILE + ").",
                !replaced && server.isSettled());
    }

    // ---- life

    @Override
    public Object connection() {
        return server.connection();
    }

    @Override
    public void close() {
        server.close();
    }
}
