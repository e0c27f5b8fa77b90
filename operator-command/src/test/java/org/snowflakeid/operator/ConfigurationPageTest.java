// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.Key.Use;
import org.snowflakeid.config.SnowflakeKeys;

/**
 * The tables of {@code docs/configuration.md} are written from the keys' declarations, here, where all coordinators are on the
 * class path: {@code mvn test -pl operator-command -am -Dtest=ConfigurationPageTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dconfiguration.page=write} writes them anew.
 */
class ConfigurationPageTest {

    private static final Path PAGE = Path.of("../docs/configuration.md");
    private static final String BEGIN =
            "<!-- From here on this page is written by ConfigurationPageTest, from the declarations of the keys. -->\n";
    private static final String HEAD = "\n## %s\n\n| key | default | accepted | |\n|---|---|---|---|\n";
    private static final String COORDINATOR = "snowflake\\.([^.]+)\\.([^`]*)";

    /** A row that so many coordinators have is on the page once. */
    private static final int SEVERAL = 3;

    @Test
    void thePageIsWhatTheDeclarationsSay() throws IOException {
        String page = Files.readString(PAGE);
        String byHand = page.substring(0, page.indexOf(BEGIN) + BEGIN.length());
        String written = byHand + tables();
        if (System.getProperty("configuration.page", "").equals("write")) {
            Files.writeString(PAGE, written);
        }

        assertThat(Files.readString(PAGE))
                .as("docs/configuration.md is not what the declarations say. With -Dconfiguration.page=write this test"
                        + " writes it anew.")
                .isEqualTo(written);
    }

    @Test
    void theRunbooksFilesForOperatorsHaveKeysThatThereAre() throws IOException {
        List<String> written = Pattern.compile("^(snowflake\\.[a-z.-]+)=", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../docs/runbook.md")))
                .results()
                .map(line -> line.group(1))
                .toList();

        assertThat(written).hasSizeGreaterThan(10);
        assertThat(keys()).extracting(Key::name).containsAll(written);
    }

    @Test
    void allCoordinatorsAreHere() {
        assertThat(keys())
                .extracting(Key::name)
                .contains(
                        "snowflake.window",
                        "snowflake.etcd.endpoints",
                        "snowflake.zookeeper.connect-string",
                        "snowflake.redis.uri",
                        "snowflake.kubernetes.url",
                        "snowflake.consul.url",
                        "snowflake.nacos.server-addr",
                        "snowflake.file.directory",
                        "snowflake.static.worker-id",
                        "snowflake.memory.store");
    }

    private static List<Key<?>> keys() {
        return SnowflakeKeys.all(ConfigurationPageTest.class.getClassLoader());
    }

    private static String tables() {
        List<Key<?>> core = SnowflakeKeys.core();
        StringBuilder text = new StringBuilder();
        text.append(table("Essential: to be decided before the first id", used(core, Use.ESSENTIAL)));
        text.append(table("Often set", used(core, Use.OFTEN)));
        text.append(table("Rarely set", used(core, Use.RARE)));
        List<Key<?>> others = keys().stream().filter(key -> !core.contains(key)).toList();
        Map<String, List<Key<?>>> alike = others.stream()
                .collect(Collectors.groupingBy(
                        ConfigurationPageTest::rowOfAny, TreeMap::new, Collectors.toUnmodifiableList()));
        alike.values().removeIf(keys -> keys.size() < SEVERAL);
        text.append(HEAD.formatted("Keys of several coordinators"));
        alike.keySet().forEach(text::append);
        TreeMap<String, List<Key<?>>> ofCoordinators = others.stream()
                .collect(Collectors.groupingBy(
                        key -> key.name().replaceFirst(COORDINATOR, "$1"),
                        TreeMap::new,
                        Collectors.toUnmodifiableList()));
        ofCoordinators.forEach((name, keys) -> {
            List<Key<?>> own = keys.stream()
                    .filter(key -> !alike.containsKey(rowOfAny(key)))
                    .collect(Collectors.toUnmodifiableList());
            text.append(table("The coordinator `" + name + "`", own));
            if (own.size() < keys.size()) {
                text.append(keys.stream()
                        .filter(key -> !own.contains(key))
                        .map(key -> "`" + key.name() + "`")
                        .collect(Collectors.joining(", ", "\n[As elsewhere](#keys-of-several-coordinators): ", ".\n")));
            }
        });
        return text.toString();
    }

    /** The same for keys of several coordinators that say the same. */
    private static String rowOfAny(Key<?> key) {
        return row(key).replaceFirst(COORDINATOR + "`", "snowflake.<coordinator>.$2`");
    }

    private static List<Key<?>> used(List<Key<?>> keys, Use use) {
        return keys.stream().filter(key -> key.use() == use).collect(Collectors.toUnmodifiableList());
    }

    private static String table(String title, List<Key<?>> keys) {
        StringBuilder text = new StringBuilder(HEAD.formatted(title));
        keys.forEach(key -> text.append(row(key)));
        return text.toString();
    }

    private static String row(Key<?> key) {
        return "| `" + key.name() + "`" + (key.isPerGenerator() ? " *" : "") + (key.isSecret() ? " †" : "") + " | "
                + key.unset() + " | " + key.accepted() + " | " + key.meaning() + " |\n";
    }
}
