// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.ctrip.framework.apollo.mockserver.ApolloTestingServer;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.NoFreeWorkerIdException;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;

/** The number that a configuration centre gives a node is its worker id, and no second process gets it. */
class WorkerIdFromApolloTest {

    @TempDir
    Path folder;

    private final ApolloTestingServer apollo = new ApolloTestingServer();
    private final Map<String, String> settings = new HashMap<>();

    @Singleton
    static class Application {
        @Inject
        Snowflake ids;
    }

    @BeforeEach
    void start() throws Exception {
        settings.put("app.id", "orders");
        settings.put("apollo.cache-dir", folder.resolve("apollo").toString());
        settings.put("snowflake.worker-ids", "${apollo.node.id}");
        settings.put("snowflake.file.directory", folder.toString());
        System.getProperties().putAll(settings);
        apollo.start();
    }

    @AfterEach
    void clear() {
        apollo.close();
        settings.keySet().forEach(System::clearProperty);
    }

    @Test
    void theNumberIsTheWorkerIdAndASecondProcessDoesNotGetIt() {
        SeContainerInitializer application =
                SeContainerInitializer.newInstance().addBeanClasses(Application.class);
        try (SeContainer container = application.initialize()) {
            Snowflake ids = container.select(Application.class).get().ids;

            assertThat(ids.layout().decode(ids.nextId()).workerId()).isEqualTo(7);

            Map<String, String> second = Map.of(
                    "snowflake.worker-ids",
                    "7",
                    "snowflake.file.directory",
                    folder.toString(),
                    "snowflake.window",
                    "PT4S",
                    "snowflake.startup-timeout",
                    "PT6S");
            assertThatExceptionOfType(NoFreeWorkerIdException.class)
                    .isThrownBy(() -> openWhereTheDiskAnswers(second))
                    .withMessageContaining("1 of 1 worker ids are held")
                    .withMessageContaining("by host");
        }
    }

    /** A start whose last look fails, on a machine where the disk is slow, says that and not what it saw before. */
    private static void openWhereTheDiskAnswers(Map<String, String> settings) {
        for (int attempt = 1; ; attempt++) {
            try (LeasedSnowflake second = LeasedSnowflake.open(SnowflakeSettings.of(settings))) {
                throw new AssertionError("claimed by a second process: " + second.status());
            } catch (CoordinatorException slow) {
                if (attempt == 5) {
                    throw slow;
                }
            }
        }
    }
}
