// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.administration.NamespaceReport;

/**
 * A namespace for programs, as one line. The fields are described in docs/operator-command.md and are all there in each line
 * but that of a failure, null where nothing is known. Ids and ticks are strings, since numbers of JavaScript end at 2^53.
 */
final class ReportJson {

    /** Raised if a field is renamed, removed, or gets another meaning; not for new ones. */
    private static final int FORMAT = 1;

    private static final Gson GSON =
            new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    private ReportJson() {}

    static String line(SeenNamespace seen, GivenNamespace namespace) {
        NamespaceReport report = seen.report();
        JsonObject json = json(namespace, seen.clocks().here());
        Optional<SnowflakeLayout> layout = report.layout();
        add(json, "location", Optional.of(report.location()).filter(location -> !location.isEmpty()));
        add(json, "state", Optional.of(report.state().name().toLowerCase(Locale.ROOT)));
        add(json, "id", report.id());
        add(json, "replaces", report.replaces());
        add(json, "movedTo", report.movedTo());
        add(json, "successor", report.successor());
        add(json, "epoch", layout.map(SnowflakeLayout::epoch));
        json.addProperty(
                "workerIdBits", layout.map(SnowflakeLayout::workerIdBits).orElse(null));
        json.addProperty(
                "sequenceBits", layout.map(SnowflakeLayout::sequenceBits).orElse(null));
        add(json, "maxWindow", report.maxWindow());
        addInstant(json, "floor", report.floor(), layout);
        add(json, "floorId", report.floor().flatMap(floor -> layout.map(l -> l.minId(floor))));
        add(json, "coordinatorClock", seen.clocks().there());
        json.addProperty("clocksAgree", seen.clocks().agree().orElse(null));
        json.addProperty("held", ReportText.held(report));
        json.addProperty("everClaimed", report.workers().size());
        JsonArray workers = new JsonArray();
        report.workers().forEach(worker -> workers.add(json(worker, layout)));
        json.add("workers", workers);
        return GSON.toJson(json);
    }

    /** The namespace can't be read now. */
    static String failure(String message, GivenNamespace namespace) {
        JsonObject json = json(namespace, Instant.now());
        json.addProperty("error", message);
        return GSON.toJson(json);
    }

    private static JsonObject json(GivenNamespace namespace, Instant clock) {
        JsonObject json = new JsonObject();
        json.addProperty("format", FORMAT);
        json.addProperty("namespace", namespace.name());
        json.addProperty("coordinator", namespace.coordinator());
        json.addProperty("place", namespace.place());
        json.addProperty("clock", clock.toString());
        return json;
    }

    private static JsonObject json(NamespaceReport.Worker worker, Optional<SnowflakeLayout> layout) {
        JsonObject json = new JsonObject();
        json.addProperty("workerId", worker.workerId());
        add(json, "heldBy", worker.heldBy());
        addInstant(json, "reservedUntil", worker.reservedUntil(), layout);
        json.addProperty("unreadableMark", worker.unreadable());
        return json;
    }

    private static void addInstant(
            JsonObject json, String name, Optional<Instant> instant, Optional<SnowflakeLayout> layout) {
        add(json, name, instant);
        add(
                json,
                name + "Tick",
                instant.flatMap(
                        at -> layout.map(l -> Duration.between(l.epoch(), at).toMillis())));
    }

    private static void add(JsonObject json, String name, Optional<?> value) {
        json.addProperty(name, value.map(Object::toString).orElse(null));
    }
}
