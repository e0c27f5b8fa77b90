// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With snowflake-metrics and Micrometer on the class path, and without a line of code. */
@QuarkusTest
class MetricsTest {

    @TestHTTPResource("/q/metrics")
    URI metrics;

    @Inject
    Orders orders;

    @Test
    void theApplicationShowsTheGeneratorThatItClaimed() throws Exception {
        double before = value("snowflake_ids_total");

        orders.invoice();
        orders.invoice();

        assertThat(value("snowflake_ids_total")).isEqualTo(before + 2);
        assertThat(value("snowflake_ready")).isEqualTo(1);
        assertThat(value("snowflake_reserved_seconds")).isBetween(0.001, 60.0);
        assertThat(scrape())
                .filteredOn(line -> line.startsWith("snowflake_"))
                .hasSize(10)
                .allMatch(line -> line.contains("{snowflake_generator=\"invoices\"} "));
    }

    private double value(String name) throws IOException, InterruptedException {
        return scrape().stream()
                .filter(line -> line.startsWith(name + "{snowflake_generator=\"invoices\"} "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .findFirst()
                .orElseThrow();
    }

    private List<String> scrape() throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(metrics).timeout(Duration.ofSeconds(30)).build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body().lines().toList();
    }
}
