// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.snowflakeid.CoordinatorException;

/** What a server answered, whole, whatever it says. */
public record Answer(HttpResponse<byte[]> response) {

    private static final int LONGEST_LINE = 300;

    public int status() {
        return response.statusCode();
    }

    /**
     * Whether the server says that it did not do what was asked, and will not. Not of 408, sent by what lies between, and 409, which says
     * something else with each server.
     */
    public boolean refuses() {
        return status() >= 400 && status() < 500 && status() != 408 && status() != 409;
    }

    public Optional<String> header(String name) {
        return response.headers().firstValue(name);
    }

    /**
     * The same complaint about this answer, with when the server may be asked again: where it has too much to do as it says itself, and
     * where it refuses the client after the next pause between logins.
     */
    public CoordinatorException complaint(CoordinatorException complaint) {
        return switch (status()) {
            case 401, 403 -> complaint.permanent() ? complaint.withLoginRefused() : complaint;
            case 429, 503 ->
                header("Retry-After")
                        .flatMap(this::pause)
                        .map(complaint::withRetryAfter)
                        .orElse(complaint);
            default -> complaint;
        };
    }

    /** Seconds, or a time by the server's clock. */
    private Optional<Duration> pause(String text) {
        if (text.matches("\\d{1,9}")) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
        }
        try {
            Instant now = time(header("Date").orElse(""));
            return Optional.of(Duration.between(now, time(text))).filter(pause -> !pause.isNegative());
        } catch (DateTimeException neither) {
            return Optional.empty();
        }
    }

    static Instant time(String header) {
        return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(header));
    }

    /** Of the request. */
    public Optional<String> asked(String header) {
        return response.request().headers().firstValue(header);
    }

    public byte[] bytes() {
        return response.body();
    }

    public String body() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** The body, if it is JSON; else {@link JsonNull}. */
    public JsonElement json() {
        try {
            return JsonParser.parseString(body());
        } catch (JsonParseException notJson) {
            return JsonNull.INSTANCE;
        }
    }

    /** The text, number or boolean there, as it was written; empty if there is none. */
    public static String text(JsonElement json, String... path) {
        JsonElement at = json;
        for (String name : path) {
            at = at instanceof JsonObject parent ? parent.get(name) : null;
        }
        return at != null && at.isJsonPrimitive() ? at.getAsString() : "";
    }

    /** For messages: status and first line, such as {@code answers 403 (Permission denied)}. */
    public String said() {
        return "answers " + status() + " (" + firstLine() + ")";
    }

    /** Of the body, shortened. */
    public String firstLine() {
        String line = body().lines().findFirst().orElse("").strip();
        return line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) + "…" : line;
    }
}
