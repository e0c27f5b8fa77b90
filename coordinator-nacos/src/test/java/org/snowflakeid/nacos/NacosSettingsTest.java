// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.LogLines;

class NacosSettingsTest {
    private static final String ADDR = "snowflake.nacos.server-addr";
    private static final String CONTEXT_PATH = "snowflake.nacos.context-path";
    private static final String NAMESPACE = "snowflake.nacos.nacos-namespace";
    private static final String USER = "snowflake.nacos.user";
    private static final String PASSWORD = "snowflake.nacos.password";
    private static final String PASSWORD_FILE = "snowflake.nacos.password-file";
    private static final String HTTP = "nacos-1:8848";
    private static final String HTTPS = "https://nacos-1:8848";

    @TempDir
    private Path directory;

    private static NacosSettings settings(Map<String, String> values) {
        return settings("orders", "snowflake/orders", values);
    }

    private static NacosSettings settings(String generator, String namespace, Map<String, String> values) {
        return new NacosSettings(new CoordinatorConfig(generator, namespace, Duration.ofSeconds(60), values::get));
    }

    private static List<String> problems(Map<String, String> values) {
        return catchThrowableOfType(InvalidSettingsException.class, () -> settings(values))
                .problems();
    }

    private static String problem(Map<String, String> values) {
        assertThat(problems(values)).hasSize(1);
        return problems(values).get(0);
    }

    @Test
    void wantsServers() {
        assertThat(problem(Map.of()))
                .isEqualTo("snowflake 'orders': snowflake.nacos.server-addr is not set."
                        + " Set it to the Nacos servers, such as nacos-1:8848,nacos-2:8848.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a:1 | http://a:1/nacos | Nacos (http://a:1/nacos)",
                "a , b:1 | http://a:8848/nacos,http://b:1/nacos | Nacos (http://a:8848/nacos,http://b:1/nacos)",
                "HTTPS://a/ | https://a:8848/nacos | Nacos (https://a:8848/nacos)",
                "http://a:1/config/ | http://a:1/config | Nacos (http://a:1/config)",
                "[::1]:3 | http://[::1]:3/nacos | Nacos (http://[::1]:3/nacos)",
            })
    void addsPortAndContextPath(String given, String used, String shown) {
        NacosSettings settings = settings(Map.of(ADDR, given));

        assertThat(settings.http().access().servers()).containsExactly(used.split(",", -1));
        assertThat(settings.http().server()).isEqualTo(shown);
    }

    // the root could not be named
    @ParameterizedTest
    @CsvSource({
        "a:1, /, http://a:1",
        "https://a/, /, https://a:8848",
        "a:1, /config, http://a:1/config",
        "a:1/, /nacos, http://a:1/nacos",
    })
    void takesTheContextPathOfItsKey(String given, String path, String used) {
        NacosSettings settings = settings(Map.of(ADDR, given, CONTEXT_PATH, path));

        assertThat(settings.http().access().servers()).containsExactly(used);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nacos", "/nacos/", "//", "/a b", "/a?b"})
    void refusesWhatIsNoContextPath(String value) {
        assertThat(problem(Map.of(ADDR, HTTP, CONTEXT_PATH, value)))
                .isEqualTo("snowflake 'orders': snowflake.nacos.context-path=" + value
                        + " is not a context path. Write / for the root, or a path such as /config.");
    }

    @Test
    void refusesAContextPathBesideAPathInAnAddress() {
        assertThat(problem(Map.of(ADDR, "a:1,b:1/config", CONTEXT_PATH, "/")))
                .contains("is set beside a path in snowflake.nacos.server-addr. Remove one of them.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://a",
                "http://",
                "a:8848,",
                "a b:8848",
                "a:99999",
                "a:0",
                "a:8848?password=secret",
                "a:8848#secret",
                "http://a/b c"
            })
    void refusesWhatIsNoServer(String value) {
        assertThat(problem(Map.of(ADDR, value)))
                .startsWith("snowflake 'orders': snowflake.nacos.server-addr=")
                .contains("which is not a server. Write host:8848 or https://host:8848, several joined by commas.")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://user:hunter2@a:8848", "hunter2@a", "a:8848,nacos:hunter2@b:8848"})
    void refusesCredentialsInAnAddressAndDoesNotShowThem(String value) {
        assertThat(problem(Map.of(ADDR, value)))
                .contains("Set snowflake.nacos.user and snowflake.nacos.password instead.")
                .doesNotContain("hunter2");
    }

    @Test
    void saysThatItIsTheUnderscoreOfAHostNameThatIsRefused() {
        assertThat(problem(Map.of(ADDR, "my_nacos:8848")))
                .contains("The HTTP client of Java takes no host name with an '_': give the server another name");
    }

    @Test
    void refusesHttpBesideHttps() {
        assertThat(problem(Map.of(ADDR, HTTP + "," + HTTPS)))
                .contains("mixes http and https. Use the same for all of them.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "public",
                "a b",
                "a/b",
                "a:b",
                "n1234567890123456789012345678901234567890123456789012345678901234"
            })
    void refusesWhatIsNoNacosNamespaceThatCanBeUsed(String value) {
        assertThat(problem(Map.of(ADDR, HTTP, NAMESPACE, value)))
                .isEqualTo("snowflake 'orders': snowflake.nacos.nacos-namespace=" + value
                        + " can't be used. Write the id of a Nacos namespace in up to 64 letters, digits, '-' and '_'; not"
                        + " public,"
                        + " of which Nacos keeps two copies.");
    }

    @Test
    void refusesANamespaceThatIsTooLongForAGroup() {
        String longest = "a/".repeat(63) + "bb";
        assertThat(settings("orders", longest, Map.of(ADDR, HTTP)).group()).hasSize(128);
        assertThatThrownBy(() -> settings("orders", longest + "b", Map.of(ADDR, HTTP)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("is longer than 128 characters")
                .hasMessageContaining("Shorten snowflake.namespace.");
    }

    @Test
    void namesRecordsByGroupAndDataId() {
        NacosSettings settings = settings(Map.of(ADDR, HTTP));

        assertThat(settings.nacosNamespace()).isEqualTo("snowflake");
        assertThat(settings.group()).isEqualTo("snowflake:orders");
        assertThat(settings.dataId("snowflake/orders/meta")).isEqualTo("meta");
        assertThat(settings.dataId("snowflake/orders/marks/17")).isEqualTo("marks:17");
        assertThat(settings.key("marks:17")).isEqualTo("snowflake/orders/marks/17");
    }

    @Test
    void refusesUserWithoutPasswordAndPasswordWithoutUser() throws IOException {
        String file =
                Files.writeString(directory.resolve("password"), "hunter2").toString();

        assertThat(problem(Map.of(ADDR, HTTP, USER, "app")))
                .isEqualTo("snowflake 'orders': snowflake.nacos.user=app comes without a password."
                        + " Set snowflake.nacos.password or snowflake.nacos.password-file, or remove it.");
        assertThat(problem(Map.of(ADDR, HTTP, PASSWORD, "hunter2")))
                .contains("Set snowflake.nacos.user")
                .doesNotContain("hunter2");
        assertThat(problem(Map.of(ADDR, HTTP, PASSWORD_FILE, file))).contains("Set snowflake.nacos.user");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "PT0.01S", "PT2M"})
    void refusesWhatIsNoCallTimeout(String value) {
        assertThat(problem(Map.of(ADDR, HTTP, "snowflake.nacos.call-timeout", value)))
                .startsWith("snowflake 'orders': snowflake.nacos.call-timeout=" + value);
    }

    @Test
    void callTimeoutIsAnUpperBound() {
        NacosSettings settings = settings(Map.of(ADDR, HTTP, "snowflake.nacos.call-timeout", "PT2S"));

        assertThat(settings.http().callTimeout().of(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.http().callTimeout().of(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void warnsOfAPasswordThatIsSentInTheOpen() {
        assertThat(warnings("nacos-plain", Map.of(ADDR, HTTP, USER, "app", PASSWORD, "secret")))
                .containsExactly(
                        "WARNING snowflake 'nacos-plain': snowflake.nacos.server-addr is not encrypted, and the"
                                + " password of snowflake.nacos.user is sent there: anyone who sees the network's traffic can read"
                                + " it. Write https://.");
        assertThat(warnings("nacos-anonymous", Map.of(ADDR, HTTP))).isEmpty();
    }

    private static List<String> warnings(String generator, Map<String, String> values) {
        LogLines.listen();
        NacosSettings unused = settings(generator, "snowflake", values);
        return LogLines.of(generator);
    }

    @Test
    void declaresTheKeysThatItReads() {
        Set<String> read = new TreeSet<>();
        CoordinatorConfig config = new CoordinatorConfig("default", "snowflake", Duration.ofSeconds(60), key -> {
            read.add(key);
            return key.equals(ADDR) ? HTTP : null;
        });
        NacosCoordinatorProvider provider = new NacosCoordinatorProvider();

        provider.open(config, () -> {}).close();

        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }

    @Test
    void namesAllProblemsAtOnce() {
        assertThat(problems(Map.of(
                        ADDR,
                        "ftp://a",
                        NAMESPACE,
                        "public",
                        USER,
                        "app",
                        "snowflake.nacos.tls.key",
                        "/nowhere",
                        "snowflake.nacos.call-timeout",
                        "soon")))
                .hasSize(6);
    }
}
