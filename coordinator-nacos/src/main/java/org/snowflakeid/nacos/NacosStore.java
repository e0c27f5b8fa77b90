// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.snowflakeid.http.Answer.text;

import com.google.gson.JsonElement;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.http.Answer;
import org.snowflakeid.http.HttpCaller;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.RecordStore;

/**
 * Records as configurations of Nacos, over its administrators' API, which reads the database: what Nacos serves to its clients is a
 * copy that lags. Only Nacos 3 has that API; so a server that answers {@code true} to a failed compare-and-set, as Nacos did before
 * 2.3.2, is never asked for one.
 *
 * <p>A compare-and-set names the MD5 of what it replaces. Two things that Nacos does do no harm here: contents that are equal are one
 * version, as values are never written twice; and what is expected but has been deleted is inserted, whose writer then finds the
 * namespace's record missing or other marks lost.
 */
final class NacosStore implements RecordStore {

    /** As many are cheaper to read one by one than all of the namespace at once. */
    private static final int FEW = 40;

    /** An MD5 of nothing: what is there does not have it, and what is not there needs none. */
    private static final String ABSENT = "absent";

    private static final Duration LOOK = Duration.ofSeconds(2);

    /** With the pauses between them longer than a member usually lags: the first of them comes right after the namespace was created. */
    private static final int ATTEMPTS = 10;

    private static final long LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /** While one of them does not answer. */
    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final String CONFLICT = "20005";
    private static final String NOT_FOUND = "20004";

    private final NacosSettings settings;
    private final LongSupplier nanoTime;
    private final HttpCaller server;
    private final String place;

    private @Nullable Login login;

    /** When it is looked whether the servers are one cluster; null: all have shown the same record of the namespace, or there is only one. */
    private @Nullable Long lookNanos;

    /** Whether it was made, or accepted, for this read or for the read before this write: it has not ended, then. */
    private boolean fresh;

    /** @param renewNanos when another is due */
    private record Login(String token, long renewNanos) {}

    NacosStore(NacosSettings settings) {
        this(settings, System::nanoTime);
    }

    /** @param nanoTime by which logins and looks age */
    NacosStore(NacosSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.server = new HttpCaller(settings.http());
        this.lookNanos = settings.http().access().servers().size() > 1 ? nanoTime.getAsLong() : null;
        this.place = "namespaceId=" + encoded(settings.nacosNamespace()) + "&groupName=" + encoded(settings.group());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    // ---- reading

    @Override
    public Reading read(List<String> keys, Duration timeout) {
        Deadline deadline = server.deadline(timeout);
        fresh = false;
        Map<String, Entry> found = new HashMap<>();
        Instant time = Instant.EPOCH;
        if (keys.size() > FEW) {
            // One statement in the database, and complete: pages of a list may miss what is inserted meanwhile.
            Answer all = read("/export?ids=&" + place, deadline);
            unzip(all, found);
            found.keySet().retainAll(Set.copyOf(keys));
            return new Reading(found, server.time(all));
        }
        for (String key : keys) {
            Answer answer = read("?dataId=" + encoded(settings.dataId(key)) + "&" + place, deadline);
            if (answer.status() == 200) {
                JsonElement json = answer.json();
                String md5 = text(json, "data", "md5");
                if (md5.isEmpty()) {
                    throw server.foreign(answer);
                }
                found.put(key, new Entry(text(json, "data", "content"), md5));
            }
            time = server.time(answer);
        }
        Long due = lookNanos;
        if (due != null && nanoTime.getAsLong() - due >= 0 && found.containsKey(settings.metaKey())) {
            requireOneCluster(deadline);
        }
        return new Reading(found, time);
    }

    private void requireOneCluster(Deadline deadline) {
        Login known = login;
        try {
            compareServers(deadline);
        } finally {
            login = known;
        }
    }

    /** Of servers that have no database in common each has records of its own. Those of a cluster may lag behind each other for a moment. */
    private void compareServers(Deadline deadline) {
        for (int attempt = 1; ; attempt++) {
            Map<String, String> records = server.ofEach(() -> {
                Duration share = deadline.left().dividedBy(4);
                return metaOf(Deadline.after(share.compareTo(LOOK) < 0 ? share : LOOK));
            });
            if (Set.copyOf(records.values()).size() <= 1) {
                boolean all =
                        records.size() == settings.http().access().servers().size();
                lookNanos = all ? null : nanoTime.getAsLong() + BETWEEN_LOOKS_NANOS;
                return;
            }
            if (attempt == ATTEMPTS) {
                throw server.failure(
                        "is not one cluster: " + String.join(" and ", records.keySet())
                                + " have different records of group '" + settings.group()
                                + "', and ids would repeat. Name servers of one cluster in " + NacosSettings.SERVER_ADDR
                                + ".",
                        true);
            }
            LockSupport.parkNanos(Math.min(LAG_NANOS, deadline.left().toNanos()));
        }
    }

    /** The version of the namespace's record; empty if there is none. Servers that are no cluster know no logins but their own. */
    private String metaOf(Deadline deadline) {
        login = null;
        Answer answer = read("?dataId=" + encoded(settings.dataId(settings.metaKey())) + "&" + place, deadline);
        return answer.status() == 200 ? text(answer.json(), "data", "md5") : "";
    }

    private Answer read(String what, Deadline deadline) {
        Login used = login(deadline);
        Answer answer = server.ask(request(what, used), deadline);
        boolean absent = answer.status() == 404 && code(answer).equals(NOT_FOUND);
        if (answer.status() != 200 && !absent) {
            throw answer.complaint(refusal(answer));
        }
        fresh = true;
        return answer;
    }

    /** The files are called by group and data id; the last is another one, which names their types. Without it the rest may be missing too. */
    private void unzip(Answer answer, Map<String, Entry> found) {
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(answer.bytes()))) {
            String folder = settings.group() + "/";
            boolean any = false;
            boolean complete = false;
            for (ZipEntry file = zip.getNextEntry(); file != null; file = zip.getNextEntry()) {
                any = true;
                complete = !file.getName().startsWith(folder);
                if (!complete) {
                    byte[] content = zip.readAllBytes();
                    found.put(
                            settings.key(file.getName().substring(folder.length())),
                            new Entry(new String(content, StandardCharsets.UTF_8), md5(content)));
                }
            }
            if (!any) {
                throw server.foreign(answer);
            }
            if (!complete) {
                throw server.failure(
                        "was asked for all of group '" + settings.group()
                                + "', and its answer ends too early. Check what lies between.",
                        false);
            }
        } catch (IOException e) {
            throw server.foreign(answer);
        }
    }

    private static String md5(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(content);
            return String.format("%032x", new BigInteger(1, digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JVM knows MD5", e);
        }
    }

    // ---- writing

    @Override
    public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        Deadline deadline = server.deadline(timeout);
        HttpRequest.Builder request = form(
                        request("", login(deadline)),
                        "type=text&dataId=" + encoded(settings.dataId(key)) + "&" + place + "&content=" + encoded(next))
                .header("casMd5", expected == null ? ABSENT : (String) expected.version());
        return server.write(request, deadline, NacosStore::clear, this::refusal);
    }

    private static @Nullable Write clear(Answer answer) {
        String code = code(answer);
        if (answer.status() == 200
                && code.equals("0")
                && text(answer.json(), "data").equals("true")) {
            return new Write.Applied();
        }
        return code.equals(CONFLICT) ? new Write.Rejected() : null;
    }

    // ---- requests and their failures

    private HttpRequest.Builder request(String what, @Nullable Login login) {
        HttpRequest.Builder request = server.request("/v3/admin/cs/config" + what);
        return login == null ? request : request.header("accessToken", login.token());
    }

    private static HttpRequest.Builder form(HttpRequest.Builder request, String content) {
        return request.header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(content));
    }

    /**
     * That of before, or another when half of its time is over; null without a user.
     *
     * @throws CoordinatorException if there is none: what was to be sent is not
     */
    private @Nullable Login login(Deadline deadline) {
        String user = settings.user();
        Login known = login;
        if (user == null || (known != null && nanoTime.getAsLong() - known.renewNanos() < 0)) {
            return known;
        }
        String content = "username=" + encoded(user) + "&password=" + encoded(String.valueOf(settings.password()));
        Answer answer = server.ask(form(server.request("/v3/auth/user/login"), content), deadline);
        // A wrong password is answered with 500, unless the user is unknown or new: that may as well be the server's
        // fault.
        if (answer.status() == 401 || answer.status() == 403 || answer.status() == 500) {
            throw server.failure(
                            "refuses user '" + user + "': " + answer.said() + ". Check " + NacosSettings.USER + " and "
                                    + settings.passwordKey() + ". A new user is known after 15 seconds.",
                            answer.status() != 500 && server.isSettled())
                    .withLoginRefused();
        }
        String token = text(answer.json(), "accessToken");
        String seconds = text(answer.json(), "tokenTtl");
        if (answer.status() != 200) {
            throw answer.complaint(refusal(answer));
        }
        // What a header can't hold is no token either; and no exception of the HTTP client shall show it.
        if (!token.matches("[!-~]+") || !seconds.matches("\\d{1,10}")) {
            // Not quoted: the token may be in it.
            throw server.failure(
                    "answers a login without an accessToken and a tokenTtl in whole seconds. Check which plugin of Nacos"
                            + " authenticates, and " + NacosSettings.SERVER_ADDR + ".",
                    false);
        }
        Duration half = Duration.ofSeconds(Long.parseLong(seconds)).dividedBy(2);
        Login granted = new Login(token, nanoTime.getAsLong() + half.toNanos());
        login = granted;
        fresh = true;
        return granted;
    }

    private static String code(Answer answer) {
        return text(answer.json(), "code");
    }

    private CoordinatorException refusal(Answer answer) {
        String said = answer.said();
        return switch (answer.status()) {
            case 401, 403 -> forbidden(said);
            case 404, 410 ->
                server.failure(
                        "has no administrators' API: " + said + ". That is in Nacos 3.0 and newer, and below"
                                + " the context path: check the version, " + NacosSettings.SERVER_ADDR + " and "
                                + NacosSettings.CONTEXT_PATH + ".",
                        false);
            // Of Nacos, whose rules for parameters don't allow something, or of another server.
            case 400 ->
                server.failure(
                        said + ". Check http or https, host and port in " + NacosSettings.SERVER_ADDR + ", and "
                                + NacosSettings.NACOS_NAMESPACE + ".",
                        false);
            case 200, 301, 302, 303, 307, 308, 405 -> server.foreign(answer);
            default -> server.failure(said + ".", false);
        };
    }

    private CoordinatorException forbidden(String said) {
        String user = settings.user();
        if (user == null) {
            return server.failure(
                    "wants a user: " + said + ". Set " + NacosSettings.USER + " and " + NacosSettings.PASSWORD + ".",
                    true);
        }
        login = null;
        // The same is answered where a login has ended and where a right is missing: only a new login shows which.
        return fresh
                ? server.failure(
                        "forbids user '" + user + "' the namespace: " + said
                                + ". Grant one of its roles the permission rw on " + settings.nacosNamespace()
                                + ":*:*, or check " + NacosSettings.NACOS_NAMESPACE + ".",
                        true)
                : server.failure("refuses an earlier login: " + said + ". The next request logs in again.", false);
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
