// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The configuration table of the README names exactly the keys that are read. */
class ReadmeTest {

    private static final Pattern ROW = Pattern.compile("^\\| `(snowflake\\.[a-z.-]+)` \\|", Pattern.MULTILINE);

    @Test
    void tableOfKeysIsWhatIsRead() throws IOException {
        Set<String> read = new TreeSet<>();
        SnowflakeSettings.of(SnowflakeSettings.DEFAULT_GENERATOR, key -> {
            read.add(key);
            return null;
        });
        Map<String, String> fixed = Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "1");
        SnowflakeSettings.of(SnowflakeSettings.DEFAULT_GENERATOR, key -> {
            read.add(key);
            return fixed.get(key);
        });

        Set<String> documented = ROW.matcher(Files.readString(Path.of("../README.md")))
                .results()
                .map(row -> row.group(1))
                .filter(key -> !key.matches("snowflake\\.(etcd|zookeeper|file|memory)\\..*"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(read);
    }
}
