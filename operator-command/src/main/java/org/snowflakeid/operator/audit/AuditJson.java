// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Locale;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** An audit for programs, as one line. Ids are strings, since numbers of JavaScript end at 2^53. */
public final class AuditJson {

    /** Raised if a field is renamed, removed, or gets another meaning; not for new ones. */
    private static final int FORMAT = 1;

    private static final Gson GSON =
            new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    private AuditJson() {}

    public static String line(AuditReport report) {
        Audit audit = report.audit();
        AuditedColumn column = report.column();
        boolean empty = audit.rows() == 0;
        JsonObject json = new JsonObject();
        json.addProperty("format", FORMAT);
        json.addProperty("place", report.place());
        json.addProperty("table", column.table());
        json.addProperty("column", column.name());
        json.addProperty("type", column.type());
        json.addProperty("view", column.view());
        json.addProperty("rowSecurity", column.rowSecurity());
        json.addProperty("indexed", column.indexed());
        json.addProperty("unique", column.unique());
        json.add("layout", layout(report));
        json.addProperty("clock", report.clock().toString());
        json.addProperty("rows", audit.rows());
        json.addProperty("rowsWithoutId", report.rowsWithoutId());
        json.addProperty("smallestId", empty ? null : Long.toString(audit.smallest()));
        json.addProperty("largestId", empty ? null : Long.toString(audit.largest()));
        json.addProperty("smallestAt", empty ? null : at(audit.smallest(), report.layout()));
        json.addProperty("largestAt", empty ? null : at(audit.largest(), report.layout()));
        json.addProperty("faults", report.faults());
        JsonArray findings = new JsonArray();
        report.findings().forEach(finding -> findings.add(json(finding)));
        json.add("findings", findings);
        JsonObject remainders = new JsonObject();
        for (int shards : new int[] {2, 8, 32}) {
            remainders.add(Integer.toString(shards), array(audit.skew().rows(shards)));
        }
        json.add("rowsByRemainder", remainders);
        json.addProperty("workerIds", audit.days().workerIds());
        json.addProperty("rowsOfDaysNotKept", audit.days().rowsNotKept());
        JsonArray days = new JsonArray();
        audit.days().all().forEach(day -> days.add(json(day)));
        json.add("days", days);
        return GSON.toJson(json);
    }

    private static @Nullable String at(long id, IdLayout layout) {
        return id < 0 ? null : layout.timestampOf(id).toString();
    }

    private static JsonObject layout(AuditReport report) {
        IdLayout layout = report.layout();
        JsonObject json = new JsonObject();
        json.addProperty("name", layout.name());
        json.addProperty("given", report.layoutGiven());
        json.addProperty("epoch", layout.epoch().toString());
        json.addProperty("unit", layout.unit().toString());
        json.addProperty("timestampBits", layout.timestamp().count());
        json.addProperty("workerIdBits", layout.workerId().count());
        json.addProperty("sequenceBits", layout.sequence().count());
        return json;
    }

    private static JsonObject json(Finding finding) {
        JsonObject json = new JsonObject();
        json.addProperty("name", finding.name());
        json.addProperty("result", finding.result().name().toLowerCase(Locale.ROOT));
        json.addProperty("count", finding.count());
        json.addProperty("text", finding.text());
        JsonArray examples = new JsonArray();
        finding.examples().forEach(id -> examples.add(Long.toString(id)));
        json.add("examples", examples);
        return json;
    }

    private static JsonObject json(Day day) {
        JsonObject json = new JsonObject();
        json.addProperty("date", day.date.toString());
        json.addProperty("rows", day.rows);
        JsonArray workerIds = new JsonArray();
        JsonArray shared = new JsonArray();
        day.workers.forEach((workerId, worker) -> {
            workerIds.add(workerId);
            if (SharedWorkerIds.isShared(worker)) {
                shared.add(workerId);
            }
        });
        json.add("workerIds", workerIds);
        json.add("sharedWorkerIds", shared);
        return json;
    }

    private static JsonArray array(long[] numbers) {
        JsonArray array = new JsonArray();
        LongStream.of(numbers).forEach(array::add);
        return array;
    }
}
