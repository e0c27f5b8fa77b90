// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RunningApplication;

/** Entities on a server, with its data source and its transactions: its EclipseLink, and the Hibernate of the application. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EntityServerContract {

    static final Path WAR = Path.of("target/entities.war").toAbsolutePath();

    private final String server;
    private final Launcher launcher;
    private RunningApplication application;

    EntityServerContract(String server, Launcher launcher) {
        this.server = server;
        this.launcher = launcher;
    }

    @BeforeAll
    void start() throws Exception {
        application =
                RunningApplication.start(launcher, server + "-entities", Map.of("SNOWFLAKE_COORDINATOR", "memory"));
        HttpResponse<String> ignored = application.await("/entities", answer -> answer.statusCode() == 200);
    }

    @AfterAll
    void close() {
        if (application != null) {
            application.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "eclipselink, org.eclipse.persistence.",
        "portable, org.eclipse.persistence.",
        "hibernate, org.hibernate."
    })
    void entitiesHaveTheirIds(String unit, String provider) throws Exception {
        JsonObject answer = json(application.get("/entities/" + unit, Duration.ofMinutes(3)));

        assertThat(answer.getString("provider")).startsWith(provider);
        assertThat(answer.entrySet().stream()
                        .filter(outcome -> !outcome.getKey().equals("provider"))
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, outcome -> ((JsonString) outcome.getValue()).getString())))
                .isEqualTo(Map.of(
                        "KEY_AND_COLUMNS", "works",
                        "CASCADE", "works",
                        "MERGE_OF_NEW", "works",
                        "MERGE_OF_STORED", "works",
                        "PRESET_IDS", "works",
                        "MANY_INSERTS", "works"));
    }

    @Test
    void aWrongSettingOfAGeneratorThatOnlyEntitiesNameStopsTheDeployment() throws Exception {
        Map<String, String> wrong =
                Map.of("SNOWFLAKE_COORDINATOR", "memory", "SNOWFLAKE_GENERATORS_PURCHASES_WINDOW", "a minute");
        try (RunningApplication refused = RunningApplication.launch(launcher, server + "-entities-refused", wrong)) {
            String refusal = "snowflake 'purchases': snowflake.generators.purchases.window=a minute is not .*PT60S";
            refused.awaitEndOrLog(refusal);
            assertThat(refused.log()).containsPattern(refusal);
            // Servers go on without the application. An answer that must not come cannot be awaited.
            TimeUnit.SECONDS.sleep(1);
            assertThat(refused.answers("/entities")).isFalse();
        }
    }
}
