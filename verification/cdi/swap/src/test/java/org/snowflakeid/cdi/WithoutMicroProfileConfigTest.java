// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.Snowflake;

/** Plain Weld, and nothing of MicroProfile. It runs in a process of its own, whose environment can be set. */
class WithoutMicroProfileConfigTest {

    private static final String SAID = "snowflake: MicroProfile Config is not on the class path: settings are read from"
            + " system properties and environment variables alone.";

    private static final Pattern OF_MICRO_PROFILE = Pattern.compile("(smallrye|microprofile)-[a-z-]*-?\\d.*\\.jar");

    @TempDir
    private Path directory;

    @Singleton
    static class Shop {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("order-lines")
        Snowflake orderLines;

        public static void main(String[] arguments) {
            try (SeContainer container = SeContainerInitializer.newInstance()
                    .addBeanClasses(Shop.class)
                    .initialize()) {
                Shop shop = container.select(Shop.class).get();
                System.out.println("worker id " + shop.ids.status().workerId().orElseThrow() + ", epochs "
                        + shop.ids.layout().epoch() + " and "
                        + shop.orderLines.layout().epoch());
            }
        }
    }

    /** What the application wrote, to its log too. */
    private String run(Map<String, String> environment, String... properties) throws IOException, InterruptedException {
        return run(List.of(), environment, properties);
    }

    private String run(List<Path> first, Map<String, String> environment, String... properties)
            throws IOException, InterruptedException {
        String classPath = Stream.concat(
                        first.stream().map(Path::toString),
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)))
                .filter(entry -> !OF_MICRO_PROFILE
                        .matcher(Path.of(entry).getFileName().toString())
                        .matches())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        Stream.of(properties).map("-D"::concat).forEach(command::add);
        command.addAll(List.of("-Duser.language=en", "-cp", classPath, Shop.class.getName()));
        Path output = directory.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.toUpperCase(Locale.ROOT)
                .startsWith("SNOWFLAKE"));
        builder.environment().putAll(environment);
        Process application = builder.start();
        try {
            assertThat(application.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            application.destroyForcibly();
        }
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    @Test
    void settingsAreSystemPropertiesAndEnvironmentVariablesAndTheLogSaysSoOnce() throws Exception {
        String output = run(
                Map.of(
                        "SNOWFLAKE_COORDINATOR",
                        "etcd",
                        "SNOWFLAKE_STATIC_WORKER_ID",
                        "7",
                        "snowflake_epoch",
                        "2023-01-01T00:00:00Z",
                        "SNOWFLAKE_GENERATORS_ORDER_LINES_EPOCH",
                        "2024-01-01T00:00:00Z"),
                "snowflake.coordinator=static");

        assertThat(output)
                .contains("worker id 7, epochs 2023-01-01T00:00:00Z and 2024-01-01T00:00:00Z")
                .containsOnlyOnce("INFO: " + SAID)
                .doesNotContain("Exception", "is not read");
    }

    @Test
    void aWrongOrMisspeltVariableStopsTheStart() throws Exception {
        String output = run(
                Map.of("SNOWFLAKE_WINDOWS", "PT30S", "SNOWFLAKE_STATIC_WORKER_ID", "${WORKER_ID}"),
                "snowflake.coordinator=static");

        assertThat(output)
                .contains("SNOWFLAKE_WINDOWS is no key of Snowflake ID", "The nearest is SNOWFLAKE_WINDOW.")
                .contains("snowflake.static.worker-id=${WORKER_ID} is not one worker id")
                .contains("Nothing here resolves ${")
                .doesNotContain("worker id 7");
    }

    @Test
    void aFileOfMicroProfileConfigIsNotReadAndTheLogSaysSo() throws Exception {
        Path file = directory.resolve("classes/META-INF/microprofile-config.properties");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "snowflake.static.worker-id=8");

        String output = run(
                List.of(directory.resolve("classes")),
                Map.of(),
                "snowflake.coordinator=static",
                "snowflake.static.worker-id=7");

        assertThat(output)
                .contains("worker id 7, ")
                .containsOnlyOnce(
                        "WARNING: " + SAID + " META-INF/microprofile-config.properties is not read. Set its keys"
                                + " there, or add an implementation of MicroProfile Config, such as io.smallrye.config:smallrye-config.");
    }
}
