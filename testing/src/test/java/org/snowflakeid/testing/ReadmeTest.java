// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;

/** The configuration table of the README names exactly the keys that are read. */
class ReadmeTest {

    private static final Pattern ROW = Pattern.compile("^\\| `(snowflake\\.memory\\.[a-z.-]+)` \\|", Pattern.MULTILINE);

    @Test
    void tableOfKeysIsWhatIsRead() throws IOException {
        Set<String> read = new TreeSet<>();
        CoordinatorConfig config = new CoordinatorConfig("default", "snowflake", Duration.ofSeconds(60), key -> {
            read.add(key);
            return null;
        });
        new MemoryCoordinatorProvider().open(config, () -> {}).close();

        Set<String> documented = ROW.matcher(Files.readString(Path.of("../README.md")))
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(read);
    }
}
