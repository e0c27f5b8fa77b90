// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** docs/metrics.md, the dashboard and the alerts name what Prometheus is really told, by Micrometer and by OpenTelemetry. */
class MetricNamesTest {

    private static final Path DOCS = Path.of("../../../docs");
    private static final Pattern NAME = Pattern.compile("\\bsnowflake_[a-z_]+");
    private static final Pattern SAMPLE =
            Pattern.compile("^(snowflake_[a-z_]+)\\{.*snowflake_generator=\"default\".*$");

    @Singleton
    static class Telemetry {
        private final PrometheusMetricReader reader =
                PrometheusMetricReader.builder().build();
        private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

        @Produces
        @Singleton
        OpenTelemetry openTelemetry() {
            return OpenTelemetrySdk.builder()
                    .setMeterProvider(SdkMeterProvider.builder()
                            .registerMetricReader(reader)
                            .build())
                    .build();
        }

        @Produces
        @Singleton
        MeterRegistry registry() {
            return registry;
        }

        Set<String> namesOfOpenTelemetry() {
            try (ByteArrayOutputStream out = new ByteArrayOutputStream()) {
                PrometheusTextFormatWriter.create().write(out, reader.collect());
                return names(out.toString(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        Set<String> namesOfMicrometer() {
            return names(registry.scrape());
        }

        private static Set<String> names(String scraped) {
            return scraped.lines()
                    .map(SAMPLE::matcher)
                    .filter(sample -> sample.matches())
                    .map(sample -> sample.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private record Names(Set<String> ofMicrometer, Set<String> ofOpenTelemetry) {
        static Names exposed() {
            try (Application application = MicrometerTest.start(MicrometerTest.Shop.class, Telemetry.class)) {
                Telemetry telemetry = application.get(Telemetry.class);
                return new Names(telemetry.namesOfMicrometer(), telemetry.namesOfOpenTelemetry());
            }
        }
    }

    private static Set<String> namesIn(String text) {
        Set<String> names =
                NAME.matcher(text).results().map(found -> found.group()).collect(Collectors.toSet());
        names.remove("snowflake_generator");
        return names;
    }

    @Test
    void thePageNamesThemAll() throws IOException {
        List<String[]> rows = Files.readAllLines(DOCS.resolve("metrics.md")).stream()
                .filter(line -> line.startsWith("| `snowflake."))
                .map(line -> line.split("\\|"))
                .toList();
        Names exposed = Names.exposed();

        assertThat(namesIn(rows.stream().map(row -> row[4]).collect(Collectors.joining())))
                .isEqualTo(exposed.ofMicrometer);
        assertThat(namesIn(rows.stream().map(row -> row[5]).collect(Collectors.joining())))
                .isEqualTo(exposed.ofOpenTelemetry);
    }

    @Test
    void theDashboardAsksForWhatEitherExposes() throws IOException {
        Names exposed = Names.exposed();
        Set<String> shown = new TreeSet<>();
        for (String query : queries()) {
            Set<String> names = namesIn(query);
            Set<String> all = new TreeSet<>(exposed.ofMicrometer);
            all.addAll(exposed.ofOpenTelemetry);
            assertThat(names).as(query).isSubsetOf(all).containsAnyElementsOf(exposed.ofMicrometer);
            assertThat(names).as(query).containsAnyElementsOf(exposed.ofOpenTelemetry);
            shown.addAll(names);
        }
        assertThat(shown).containsAll(exposed.ofMicrometer).containsAll(exposed.ofOpenTelemetry);
    }

    @Test
    void theAlertsAskForWhatEitherExposes() throws IOException {
        Names exposed = Names.exposed();
        Set<String> all = new TreeSet<>(exposed.ofMicrometer);
        all.addAll(exposed.ofOpenTelemetry);
        List<Map<String, Object>> alerts = alerts();

        assertThat(alerts).hasSize(8).allSatisfy(alert -> {
            assertThat(alert.get("alert").toString()).startsWith("Snowflake");
            assertThat(namesIn(alert.get("expr").toString()))
                    .isSubsetOf(all)
                    .containsAnyElementsOf(exposed.ofMicrometer)
                    .containsAnyElementsOf(exposed.ofOpenTelemetry);
            assertThat(alert.get("labels").toString()).matches("\\{severity=(critical|warning)}");
            assertThat(alert.get("annotations").toString())
                    .contains("summary={{ $labels.instance }}: ", "{{ $labels.snowflake_generator }}", "description=");
        });
        assertThat(alerts)
                .doesNotHaveDuplicates()
                .extracting(alert -> alert.get("alert"))
                .doesNotHaveDuplicates();
        // All that the page thinks worth an alert.
        Set<String> asked = namesIn(alerts.toString());
        assertThat(worthAnAlert()).isNotEmpty().allSatisfy(names -> assertThat(asked)
                .containsAnyElementsOf(names));
    }

    private static List<Map<String, Object>> alerts() throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(Files.readString(DOCS.resolve("grafana/snowflake-alerts.yml")));
        return file.get("groups").get(0).get("rules");
    }

    private static List<Set<String>> worthAnAlert() throws IOException {
        return Files.readAllLines(DOCS.resolve("metrics.md")).stream()
                .filter(line -> line.startsWith("| `snowflake."))
                .map(line -> line.split("\\|"))
                .filter(row -> !row[6].isBlank() && !row[6].strip().equals("no"))
                .map(row -> namesIn(row[4]))
                .toList();
    }

    /** Of the panels, and of the variables. */
    private static List<String> queries() throws IOException {
        JsonObject dashboard = JsonParser.parseString(Files.readString(DOCS.resolve("grafana/snowflake.json")))
                .getAsJsonObject();
        List<String> queries = new ArrayList<>();
        for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
            StreamSupport.stream(
                            panel.getAsJsonObject().getAsJsonArray("targets").spliterator(), false)
                    .map(target -> target.getAsJsonObject().get("expr").getAsString())
                    .forEach(queries::add);
        }
        assertThat(queries).hasSize(10);
        for (JsonElement variable : dashboard.getAsJsonObject("templating").getAsJsonArray("list")) {
            if (variable.getAsJsonObject().get("query").isJsonObject()) {
                queries.add(variable.getAsJsonObject()
                        .getAsJsonObject("query")
                        .get("query")
                        .getAsString());
            }
        }
        return queries;
    }
}
