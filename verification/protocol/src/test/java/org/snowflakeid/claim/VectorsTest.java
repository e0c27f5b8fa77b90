// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.IdParts;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/** What clients in other languages are held against is what this one does. */
class VectorsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final long WINDOW_TICKS = 60_000;

    private static Stream<JsonObject> vectors(String of) throws IOException {
        return JsonParser.parseString(Files.readString(Path.of("vectors.json")))
                .getAsJsonObject()
                .getAsJsonArray(of)
                .asList()
                .stream()
                .map(JsonElement::getAsJsonObject);
    }

    static Stream<JsonObject> ids() throws IOException {
        return vectors("ids");
    }

    static Stream<JsonObject> lines() throws IOException {
        return vectors("lines");
    }

    static Stream<JsonObject> records() throws IOException {
        return vectors("records");
    }

    static Stream<JsonObject> writes() throws IOException {
        return vectors("writes");
    }

    static Stream<JsonObject> namespaces() throws IOException {
        return vectors("namespaces");
    }

    private static String text(JsonObject vector, String key) {
        return vector.get(key).getAsString();
    }

    private static @Nullable Stored stored(JsonObject vector, String key) {
        return vector.get(key).isJsonNull() ? null : new Stored(text(vector, key), 0);
    }

    @ParameterizedTest
    @MethodSource
    void ids(JsonObject vector) {
        SnowflakeLayout layout = new SnowflakeLayout(
                Instant.parse(text(vector, "epoch")),
                vector.get("worker-id-bits").getAsInt(),
                vector.get("sequence-bits").getAsInt());

        assertThat(layout.decode(Long.parseLong(text(vector, "id"))))
                .isEqualTo(new IdParts(
                        Instant.parse(text(vector, "time")),
                        vector.get("worker-id").getAsInt(),
                        vector.get("sequence").getAsInt()));
    }

    @ParameterizedTest
    @MethodSource
    void lines(JsonObject vector) {
        String line = text(vector, "line");
        if (vector.get("pairs").isJsonNull()) {
            assertThatThrownBy(() -> RecordLine.parse(line)).isInstanceOf(IllegalArgumentException.class);
        } else {
            Map<String, String> pairs = vector.getAsJsonObject("pairs").entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, pair -> pair.getValue().getAsString()));
            assertThat(RecordLine.parse(line).entries()).isEqualTo(pairs);
        }
    }

    @ParameterizedTest
    @MethodSource
    void records(JsonObject vector) {
        CoordinatorConfig config =
                new CoordinatorConfig("default", "snowflake/one", Duration.ofMinutes(1), key -> null);
        OneRecord store = new OneRecord("snowflake/one/marks/7", text(vector, "value"));
        try (RecordCoordinator coordinator = new RecordCoordinator(config, store)) {
            Slot slot = coordinator.read(7, 7, TIMEOUT).slots().get(0);

            assertThat(slot.mark()).isEqualTo(stored(vector, "mark"));
            assertThat(slot.owner() == null ? "" : slot.owner()).isEqualTo(text(vector, "owner"));
        }
    }

    @ParameterizedTest
    @MethodSource
    void writes(JsonObject vector) {
        Settings settings =
                SnowflakeSettings.of(Map.of("snowflake.coordinator", "vectors")).values();
        Answers coordinator = new Answers();
        Namespace namespace = new Namespace(settings, coordinator, Platform.system(), coordinator, null);
        assertThat(namespace.join(new Snapshot(Answers.META, List.of(), null), 0, TIMEOUT))
                .isTrue();
        VettedClock clock = new VettedClock(
                Platform.system(), settings.layout(), settings.maxSkew().toMillis());
        Stored held = new Stored(text(vector, "held"), 0);
        Claim claim = new Claim(
                new ClaimContext(coordinator, namespace, settings, Platform.system(), clock),
                7,
                "token=a",
                0,
                Mark.parse(held),
                held,
                true);
        String sent = claim.nextWrite(WINDOW_TICKS).next();
        Stored seen = stored(vector, "seen");
        if (seen != null && seen.value().equals(text(vector, "sent"))) {
            seen = new Stored(sent, 0);
        }
        CasResult answer = new CasResult.Rejected(Answers.META, new Slot(7, seen, "token=a"));

        switch (text(vector, "then")) {
            case "granted" -> {
                claim.conclude(answer, WINDOW_TICKS, TIMEOUT);
                assertThat(claim.limit()).isGreaterThan(Mark.parse(held).limit());
            }
            case "send again" -> {
                assertThatThrownBy(() -> claim.conclude(answer, WINDOW_TICKS, TIMEOUT))
                        .isInstanceOf(CoordinatorException.class);
                assertThat(coordinator.sent()).containsExactly(sent);
                assertThat(claim.limit()).isEqualTo(Mark.parse(held).limit());
            }
            case "taken over" -> {
                claim.conclude(answer, WINDOW_TICKS, TIMEOUT);
                assertThat(claim.isSuperseded()).isTrue();
                assertThat(claim.limit()).isEqualTo(Mark.parse(held).limit());
            }
            case "stop" ->
                assertThatThrownBy(() -> claim.conclude(answer, WINDOW_TICKS, TIMEOUT))
                        .isInstanceOf(CoordinatorRegressedException.class);
            default -> throw new IllegalArgumentException(vector.toString());
        }
    }

    @ParameterizedTest
    @MethodSource
    void namespaces(JsonObject vector) {
        Settings settings =
                SnowflakeSettings.of(Map.of("snowflake.coordinator", "vectors")).values();
        Answers coordinator = new Answers();
        Namespace namespace = new Namespace(settings, coordinator, Platform.system(), coordinator, null);
        assertThat(namespace.join(new Snapshot(stored(vector, "held"), List.of(), null), 0, TIMEOUT))
                .isTrue();

        if (vector.get("goes-on").getAsBoolean()) {
            namespace.noteSeen(stored(vector, "seen"));
            assertThat(namespace.meta().stored()).isEqualTo(stored(vector, "seen"));
        } else {
            assertThatThrownBy(() -> namespace.noteSeen(stored(vector, "seen"))).isInstanceOf(SnowflakeException.class);
        }
    }
}
