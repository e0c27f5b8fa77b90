// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The alerts of docs/grafana, as Prometheus itself evaluates them. */
class AlertRulesTest {

    private static final Path CASES = Path.of("src/test/resources/snowflake-alerts-test.yml");

    @Test
    void fireWhenTheyShouldAndNotElse() throws Exception {
        Path output = Files.createTempFile(Path.of("target"), "promtool", ".log");
        Process promtool = new ProcessBuilder("promtool", "test", "rules", CASES.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(promtool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            promtool.destroyForcibly();
        }
        assertThat(promtool.exitValue()).as(Files.readString(output)).isZero();
    }

    @Test
    void eachIsSeenToFireAndNotToFire() throws IOException {
        Set<String> alerts = names("alert: (\\w+)", Pages.text("docs/grafana/snowflake-alerts.yml"));
        String cases = Files.readString(CASES);

        assertThat(names("alertname: (\\w+)\\s+exp_alerts:", cases)).isEqualTo(alerts);
        assertThat(names("alertname: (\\w+)}", cases)).isEqualTo(alerts);
    }

    private static Set<String> names(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }
}
