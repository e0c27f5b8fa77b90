// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SnowflakeKeys;

class SnowflakeKeysTest {

    @Test
    void theTableNamesWhatIsReadAndNothingElse() {
        Map<String, String> fixed = Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "1");
        Set<String> read = new TreeSet<>(read("default", Map.of()));
        read.addAll(read("default", fixed));
        List<String> unused = SnowflakeSettings.claimedAtStart(key -> {
            read.add(key);
            return null;
        });

        Set<String> declared = SnowflakeKeys.all(getClass().getClassLoader()).stream()
                .map(Key::name)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(read).isEqualTo(declared);
    }

    private static Set<String> read(String generator, Map<String, String> values) {
        Set<String> read = new TreeSet<>();
        SnowflakeSettings.of(generator, key -> {
            read.add(key);
            return values.get(key);
        });
        read.removeIf(key -> key.startsWith("snowflake.generators."));
        return read;
    }

    @Test
    void eachKeyHasASentenceForTheDocs() {
        assertThat(SnowflakeKeys.all(getClass().getClassLoader())).allSatisfy(key -> {
            assertThat(key.meaning()).matches("[A-Z].*\\.");
            assertThat(key.accepted()).isNotBlank();
            assertThat(key.unset()).isNotBlank();
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    zk-1:2181,zk-2:2181              | zk-1:2181,zk-2:2181
                    http://app:pw@host:1             | http://***@host:1
                    http://app:p/w@host:1            | http://***@host:1
                    "http://app:p,w@host:1,http://b" | "http://***@host:1,http://b"
                    http://app:p@w@host:1            | http://***@host:1
                    app:pw@host:1                    | ***@host:1
                    app:p://w@host                   | ***@host
                    app:p?w@host                     | ***
                    http://host?password=pw          | http://host?***
                    http://host?password=p@w         | http://***
                    http://host#pw                   | http://host#***
                    jdbc:postgresql://app:pw@host/db | jdbc:postgresql://***@host/db
                    jdbc:sqlserver://host;password=x | jdbc:sqlserver://host;***
                    "jdbc:mysql://address=(host=h)(user=u)(password=s3cret)/ids" | "jdbc:mysql://address=(***"
                    "jdbc:oracle:thin:@(HOST=h)(PASSWORD=s3cret)" | ***
                    jdbc:db2://h/ids:password=s3cret;user=u; | jdbc:db2://***
                    jdbc:db2://h/ids:PassWord=s3cret | jdbc:db2://***
                    jdbc:x:h:pwd=s3cret              | ***
                    http://host/v1/Token/s3cret      | http://***
                    https://host/client-secret=s3    | https://***
                    """)
    void hidesWhateverMayBeAPasswordInAnAddress(String address, String shown) {
        Key<String> key = Key.address("snowflake.redis.uri", "a URL").meaning("Where it is.");

        assertThat(key.shown(address)).isEqualTo(shown);
    }

    @Test
    void showsNothingOfASecret() {
        Key<String> key = Key.secret("snowflake.redis.password", "text").meaning("The password.");

        assertThat(key.shown("hunter2")).isEqualTo("(not shown)");
    }
}
