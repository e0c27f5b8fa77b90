// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.snowflakeid.runtime.RunningApplication;
import org.snowflakeid.runtime.ShownMeters;

/** The meters at Open Liberty's own endpoint, and in what its OpenTelemetry exports. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsOnOpenLibertyIT {

    private static final Pattern EXPORTED =
            Pattern.compile("name=(snowflake\\.[a-z.]+), description=[^\\n]*?, unit=([^,]*), type=");

    private RunningApplication application;

    @BeforeAll
    void start() throws Exception {
        OpenLiberty server = new OpenLiberty(
                Path.of("target/metrics.war").toAbsolutePath(),
                Path.of("target/open-liberty-metrics-dropins").toAbsolutePath(),
                Path.of("src/test/open-liberty/metrics.xml"));
        application = RunningApplication.start(
                server,
                "open-liberty-metrics",
                Map.of(
                        "SNOWFLAKE_COORDINATOR", "memory",
                        "OTEL_SDK_DISABLED", "false",
                        "OTEL_METRICS_EXPORTER", "console",
                        "OTEL_TRACES_EXPORTER", "none",
                        "OTEL_LOGS_EXPORTER", "none",
                        "OTEL_METRIC_EXPORT_INTERVAL", "1000"));
        HttpResponse<String> ignored = application.await("/orders/ids", answer -> answer.statusCode() == 200);
        // Liberty makes its endpoint with the first request to it, and now and then answers that one with 500:
        // https://github.com/OpenLiberty/open-liberty/issues/35488
        ignored = application.await("/metrics", answer -> answer.statusCode() == 200);
    }

    @AfterAll
    void close() {
        if (application != null) {
            application.close();
        }
    }

    @Test
    void theyAreInTheAnswerOfTheServersOwnEndpoint() throws Exception {
        ShownMeters.check(application);
    }

    @Test
    void theyAreInWhatTheServersOpenTelemetryExports() throws Exception {
        long id = id(application.get("/orders/ids"));
        assertThat(id).isPositive();

        String log = awaitExport();

        assertThat(EXPORTED.matcher(log)
                        .results()
                        .collect(Collectors.toMap(
                                meter -> meter.group(1), meter -> meter.group(2), (first, same) -> same)))
                .isEqualTo(Map.of(
                        "snowflake.ready", "",
                        "snowflake.reserved", "s",
                        "snowflake.drift", "s",
                        "snowflake.ids", "{id}",
                        "snowflake.waits", "{call}",
                        "snowflake.waits.time", "s",
                        "snowflake.extensions", "{extension}",
                        "snowflake.extensions.time", "s",
                        "snowflake.extensions.failed", "{extension}",
                        "snowflake.swaps", "{swap}"));
    }

    /** The log, once an export has told of ids and the next one has begun: the meters of one export are in no order. */
    private String awaitExport() throws IOException, InterruptedException {
        Pattern ids = Pattern.compile(
                "name=snowflake\\.ids, [^\\n]*snowflake\\.generator=\"orders\"}, value=[1-9].*Received a collection",
                Pattern.DOTALL);
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (true) {
            String log = application.log();
            if (ids.matcher(log).find()) {
                return log;
            }
            assertThat(System.nanoTime()).as(log).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }
}
