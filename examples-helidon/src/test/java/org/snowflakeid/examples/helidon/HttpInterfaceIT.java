// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import java.io.StringReader;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpInterfaceIT {

    private static RunningExample example;

    @TempDir
    private static Path directory;

    /** As {@code bin/run-example} does, with one worker id to know it by. */
    @BeforeAll
    static void start() throws Exception {
        example = RunningExample.start(
                "http-interface",
                Map.of("SNOWFLAKE_FILE_DIRECTORY", directory.toString(), "SNOWFLAKE_WORKER_IDS", "7"));
    }

    @AfterAll
    static void endsWhenTerminated() throws Exception {
        if (example == null) {
            return;
        }
        try (RunningExample running = example) {
            assertThat(running.terminate()).isEqualTo(128 + 15);
        }
    }

    static JsonObject json(HttpResponse<String> answer) {
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/json");
        try (JsonReader reader = Json.createReader(new StringReader(answer.body()))) {
            return reader.readObject();
        }
    }

    @Test
    void issuesIncreasingIdsAsStrings() throws Exception {
        HttpResponse<String> first = example.get("/ids");
        HttpResponse<String> second = example.get("/ids");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().allValues("Cache-Control")).containsExactly("no-store");
        assertThat(json(first)).containsOnlyKeys("id");
        assertThat(Long.parseLong(json(second).getString("id")))
                .isGreaterThan(Long.parseLong(json(first).getString("id")));
    }

    @Test
    void issuesManyAtOnce() throws Exception {
        HttpResponse<String> answer = example.get("/ids?count=10000");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().allValues("Cache-Control")).containsExactly("no-store");
        JsonArray batch = json(answer).getJsonArray("ids");
        List<Long> ids = batch.getValuesAs(JsonString.class).stream()
                .map(id -> Long.valueOf(id.getString()))
                .toList();
        assertThat(ids).hasSize(10_000).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void explainsAnId() throws Exception {
        String id = json(example.get("/ids")).getString("id");

        JsonObject parts = json(example.get("/ids/" + id));

        assertThat(parts).containsOnlyKeys("id", "timestamp", "workerId", "sequence");
        assertThat(parts.getString("id")).isEqualTo(id);
        assertThat(Duration.between(Instant.parse(parts.getString("timestamp")), Instant.now())
                        .abs())
                .isLessThan(Duration.ofMinutes(1));
        assertThat(parts.getInt("workerId")).isEqualTo(7);
        assertThat(parts.getInt("sequence")).isBetween(0, 4095);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ids?count=0",
                "/ids?count=-1",
                "/ids?count=10001",
                "/ids?count=99999999999999999999",
                "/ids?count=ten",
                "/ids?count=",
                "/ids/ten",
                "/ids/-1",
                "/ids/1.5",
                "/ids/9223372036854775808",
                "/ids/1000000000000000000000000000000000000000000000000000000000000000000000000000000",
                "/ids/%D9%A1",
                "/ids/%00"
            })
    void refusesBadInput(String path) throws Exception {
        HttpResponse<String> answer = example.get(path);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(json(answer)).containsOnlyKeys("error");
        assertThat(json(answer).getString("error")).contains(" is not ").hasSizeLessThan(150);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/id", "/ids/1/2", "/health/nowhere"})
    void doesNotKnowOtherPaths(String path) throws Exception {
        assertThat(example.get(path).statusCode()).isEqualTo(404);
    }

    @Test
    void tellsItsWorkerId() throws Exception {
        JsonObject worker = json(example.get("/worker"));

        assertThat(worker).containsOnlyKeys("workerId", "coordinator", "namespace", "state", "reservedUntil");
        assertThat(worker.getInt("workerId")).isEqualTo(7);
        assertThat(worker.getString("coordinator")).isEqualTo("file");
        assertThat(worker.getString("namespace")).isEqualTo("snowflake");
        assertThat(worker.getString("state")).isEqualTo("ACTIVE");
        assertThat(Instant.parse(worker.getString("reservedUntil"))).isAfter(Instant.now());
    }

    @Test
    void isReadyWithTheStateOfItsGenerator() throws Exception {
        HttpResponse<String> answer = example.get("/health/ready");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(json(answer).getString("status")).isEqualTo("UP");
        JsonObject check = json(answer).getJsonArray("checks").getJsonObject(0);
        assertThat(check.getString("name")).isEqualTo("snowflake");
        assertThat(check.getJsonObject("data").getString("default.state")).isEqualTo("ACTIVE");
    }

    @Test
    void logsOneLineForEachEvent() throws Exception {
        assertThat(example.log().lines())
                .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ (INFO|WARNING) .*"))
                .hasSizeLessThan(15)
                .anyMatch(line -> line.contains("snowflake 'default': claimed worker id 7 from file"));
    }
}
