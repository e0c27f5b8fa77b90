// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The code on docs/metrics.md runs: it stands in tests, and in applications under test. Its names are checked in verification/cdi. */
class MetricsPageTest {

    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)\\n```", Pattern.DOTALL);
    private static final Path RUNTIMES = Path.of("../verification/runtimes");

    @Test
    void itsCodeIsRun() throws IOException {
        String page = Files.readString(Path.of("../docs/metrics.md"));
        List<Path> sources = List.of(
                Path.of("src/test/java/org/snowflakeid/metrics/SnowflakeMetricsTest.java"),
                RUNTIMES.resolve("helidon/src/main/java/org/snowflakeid/runtime/helidon/Meters.java"),
                RUNTIMES.resolve("metrics/src/main/java/org/snowflakeid/runtime/metrics/Meters.java"));
        List<String> blocks =
                BLOCK.matcher(page).results().map(block -> block.group(1)).toList();

        assertThat(blocks).hasSameSizeAs(sources);
        for (int i = 0; i < blocks.size(); i++) {
            assertThat(Files.readString(sources.get(i))).contains(blocks.get(i));
        }
    }
}
