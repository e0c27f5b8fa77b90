// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a runtime's own endpoint for Prometheus says of the generator {@code orders}. */
public final class ShownMeters {

    private static final Pattern NAME = Pattern.compile("`(snowflake_[a-z_]+)`");
    private static final Pattern SAMPLE =
            Pattern.compile("(?m)^(snowflake_[a-z_]+)\\{[^}]*snowflake_generator=\"orders\"[^}]*} (\\S+)$");

    private ShownMeters() {}

    /** All that docs/metrics.md names, with the values of a generator that has issued ids. */
    public static void check(RunningApplication application) throws Exception {
        double before = values(application.get("/metrics")).getOrDefault("snowflake_ids_total", Double.NaN);
        for (int call = 0; call < 3; call++) {
            assertThat(id(application.get("/orders/ids"))).isPositive();
        }

        Map<String, Double> values = values(awaitExtension(application));

        assertThat(values).containsOnlyKeys(namesOnThePage());
        assertThat(values.get("snowflake_ids_total")).isEqualTo(before + 3);
        assertThat(values.get("snowflake_ready")).isEqualTo(1);
        assertThat(values.get("snowflake_reserved_seconds")).isBetween(0.001, 60.0);
    }

    /** The answer once it tells of an extension: the first one comes seconds after the start. */
    private static HttpResponse<String> awaitExtension(RunningApplication application) throws Exception {
        return application.await(
                "/metrics", answer -> values(answer).getOrDefault("snowflake_extensions_seconds_count", 0.0) > 0);
    }

    private static Map<String, Double> values(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return SAMPLE.matcher(answer.body())
                .results()
                .collect(Collectors.toMap(sample -> sample.group(1), sample -> Double.valueOf(sample.group(2))));
    }

    /** Those of Micrometer. */
    private static List<String> namesOnThePage() throws IOException {
        return Files.readAllLines(Path.of("../../../docs/metrics.md")).stream()
                .filter(line -> line.startsWith("| `snowflake."))
                .map(line -> line.split("\\|", -1)[4])
                .flatMap(cell -> NAME.matcher(cell).results())
                .map(name -> name.group(1))
                .toList();
    }
}
