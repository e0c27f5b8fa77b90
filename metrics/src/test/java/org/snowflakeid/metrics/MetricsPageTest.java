// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The code on docs/metrics.md runs: it stands in {@link SnowflakeMetricsTest}. Its names are checked in verification/cdi. */
class MetricsPageTest {

    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)\\n```", Pattern.DOTALL);

    @Test
    void itsCodeIsRun() throws IOException {
        String page = Files.readString(Path.of("../docs/metrics.md"));
        String source = Files.readString(
                Path.of("src/test/java", SnowflakeMetricsTest.class.getName().replace('.', '/') + ".java"));

        List<String> blocks =
                BLOCK.matcher(page).results().map(block -> block.group(1)).toList();

        assertThat(blocks).hasSize(1).allSatisfy(block -> assertThat(source).contains(block));
    }
}
