// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.SnowflakeSettings;

/** The code on docs/json-and-rest.md compiles: it stands in {@link DocumentedOrders}, apart from blanks. */
class JsonAndRestPageTest {

    private static final Pattern PROPERTIES = Pattern.compile("```properties\\n(.*?)```", Pattern.DOTALL);

    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @Test
    void itsCodeCompiles() throws IOException {
        String page = Files.readString(Path.of("../docs/json-and-rest.md"));
        String source = Files.readString(
                Path.of("src/test/java", DocumentedOrders.class.getName().replace('.', '/') + ".java"));

        List<String> blocks =
                BLOCK.matcher(page).results().map(MatchResult::group).toList();

        assertThat(blocks).hasSize(5);
        assertThat(blocks).allSatisfy(block -> assertThat(plain(source))
                .contains(plain(block.replace("```java", "").replace("```", ""))));
    }

    @Test
    void itsLayoutGivesIdsThatJavaScriptKeepsForAsLongAsItSays() throws IOException {
        String page = Files.readString(Path.of("../docs/json-and-rest.md"));
        MatchResult block = PROPERTIES.matcher(page).results().findFirst().orElseThrow();
        Properties properties = new Properties();
        properties.load(new StringReader(block.group(1)));
        Map<String, String> settings =
                new HashMap<>(Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "31"));
        properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));

        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(settings))) {
            long last = (1L << 53) - 1;
            assertThat(ids.nextId()).isPositive().isLessThan(last);
            assertThat(page)
                    .contains("last until "
                            + ids.layout().decode(last).timestamp().toString().substring(0, 10));
        }
    }

    private static String plain(String text) {
        return text.replaceAll("\\s+", "");
    }

    @Test
    void itsExamplesAreTrue() throws IOException {
        String page = Files.readString(Path.of("../docs/json-and-rest.md"));

        for (var format : SnowflakeFormat.values()) {
            assertThat(page).contains("`" + format.format(911_852_594_806_915_072L) + "`");
        }
        assertThat(DocumentedOrders.again(7)).isEqualTo(7);
    }
}
