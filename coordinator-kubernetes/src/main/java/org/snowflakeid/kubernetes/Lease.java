// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.snowflakeid.http.Answer.text;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.RecordStore;

/**
 * A record as an object of Kubernetes: the record is in an annotation, whole and exact, and what {@code spec} says of it is for those who look at
 * leases with {@code kubectl}. The object as it was read is what the record's version is, so that whatever others wrote into it stays.
 */
final class Lease {
    private static final String RECORD = "snowflakeid.org/record";

    /** The second line of a record names the owner of a worker id. */
    private static final Pattern OWNER = Pattern.compile("\nexpires=(\\S+) (.*)");

    private static final Pattern HOST = Pattern.compile("\\bhost=(\\S+)");
    private static final Pattern SINCE = Pattern.compile("\\bsince=(\\S+)");
    private static final DateTimeFormatter MICROSECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSX").withZone(ZoneOffset.UTC);

    private Lease() {}

    static String name(JsonElement lease) {
        return text(lease, "metadata", "name");
    }

    /**
     * Null if it is none of ours. One of ours that has lost its record has an unreadable one: what was granted by it is not known, and another
     * namespace in its place would repeat ids.
     */
    static RecordStore.@Nullable Entry entry(JsonElement lease) {
        boolean whole = !text(lease, "metadata", "uid").isEmpty()
                && !text(lease, "metadata", "resourceVersion").isEmpty();
        String record = text(lease, "metadata", "annotations", RECORD);
        boolean ours = !record.isEmpty()
                || !text(lease, "metadata", "labels", LeaseNames.NAMESPACE).isEmpty();
        return whole && ours ? new RecordStore.Entry(record, lease) : null;
    }

    static boolean holds(JsonElement lease, String key, String record) {
        return name(lease).equals(LeaseNames.name(key))
                && text(lease, "metadata", "annotations", RECORD).equals(record);
    }

    /**
     * The object to be written.
     *
     * @param expected what it replaces: by its {@code resourceVersion}, and by its {@code uid} too, since Kubernetes makes a lease anew that is
     *     replaced and not there; null: none
     */
    static JsonObject next(
            String key, RecordStore.@Nullable Entry expected, String record, String namespace, Duration timeToLive) {
        JsonObject lease = expected == null ? new JsonObject() : ((JsonObject) expected.version()).deepCopy();
        lease.addProperty("apiVersion", "coordination.k8s.io/v1");
        lease.addProperty("kind", "Lease");
        JsonObject metadata = child(lease, "metadata");
        metadata.addProperty("name", LeaseNames.name(key));
        metadata.addProperty("namespace", namespace);
        metadata.remove("managedFields");
        JsonObject labels = child(metadata, "labels");
        LeaseNames.labels(key).forEach(labels::addProperty);
        child(metadata, "annotations").addProperty(RECORD, record);
        describe(child(lease, "spec"), record, timeToLive);
        return lease;
    }

    private static JsonObject child(JsonObject parent, String name) {
        if (!(parent.get(name) instanceof JsonObject)) {
            parent.add(name, new JsonObject());
        }
        return parent.getAsJsonObject(name);
    }

    private static void describe(JsonObject spec, String record, Duration timeToLive) {
        for (String field : new String[] {"holderIdentity", "leaseDurationSeconds", "acquireTime", "renewTime"}) {
            spec.remove(field);
        }
        Matcher owner = OWNER.matcher(record);
        if (!owner.find()) {
            return;
        }
        Matcher host = HOST.matcher(owner.group(2));
        spec.addProperty("holderIdentity", host.find() ? host.group(1) : "unknown");
        spec.addProperty("leaseDurationSeconds", Math.max(1, timeToLive.toSeconds()));
        Matcher since = SINCE.matcher(owner.group(2));
        addTime(spec, "acquireTime", since.find() ? since.group(1) : "", Duration.ZERO);
        addTime(spec, "renewTime", owner.group(1), timeToLive);
    }

    private static void addTime(JsonObject spec, String field, String instant, Duration before) {
        try {
            spec.addProperty(field, MICROSECONDS.format(Instant.parse(instant).minus(before)));
        } catch (DateTimeException none) {
            // It is not needed.
        }
    }
}
