// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

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
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.http.HttpSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.LogLines;

class ConsulSettingsTest {
    private static final String URL = "snowflake.consul.url";
    private static final String TOKEN = "snowflake.consul.token";
    private static final String TOKEN_FILE = "snowflake.consul.token-file";
    private static final String HTTP = "http://localhost:8500";
    private static final String HTTPS = "https://localhost:8501";

    @TempDir
    private Path directory;

    private static ConsulSettings settings(Map<String, String> values) {
        return settings("orders", values);
    }

    private static ConsulSettings settings(String generator, Map<String, String> values) {
        return new ConsulSettings(
                new CoordinatorConfig(generator, "snowflake/orders", Duration.ofSeconds(60), values::get));
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
    void wantsAUrl() {
        assertThat(problem(Map.of()))
                .isEqualTo("snowflake 'orders': snowflake.consul.url is not set."
                        + " Set it to the URL of a Consul agent, such as http://localhost:8500.");
    }

    @ParameterizedTest
    @CsvSource({
        "http://a:1, http://a:1",
        "HTTP://a/, http://a:8500",
        "https://a, https://a:8501",
        "http://[::1]:3, http://[::1]:3",
    })
    void addsThePort(String given, String used) {
        assertThat(settings(Map.of(URL, given)).http().server()).isEqualTo("Consul (" + used + ")");
    }

    @Test
    void namesRecordsByPaths() {
        assertThat(settings(Map.of(URL, HTTP)).datacenter()).isNull();
        assertThat(ConsulSettings.path("snowflake/orders/meta", "consistent", null))
                .isEqualTo("/v1/kv/snowflake/orders/meta?consistent");
        assertThat(ConsulSettings.path(
                        "a",
                        "consistent&recurse",
                        settings(Map.of(URL, HTTP, "snowflake.consul.datacenter", "eu-1"))
                                .datacenter()))
                .isEqualTo("/v1/kv/a?consistent&recurse&dc=eu-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:8500",
                "localhost",
                "ftp://localhost",
                "http://",
                "http://a:8500,http://b:8500",
                "http://a b:8500",
                "http://a:99999",
                "http://a:0",
                "http://a:8500/v1",
                "http://a:8500?token=secret",
                "http://a:8500#secret"
            })
    void refusesWhatIsNoUrlOfAnAgent(String value) {
        assertThat(problem(Map.of(URL, value)))
                .startsWith("snowflake 'orders': snowflake.consul.url=")
                .endsWith("is not the URL of an agent. Write http://host:8500 or https://host:8501.")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://user:hunter2@a:8500", "hunter2@a", "http://a:8500?token=hunter2@b"})
    void refusesCredentialsInTheUrlAndDoesNotShowThem(String value) {
        assertThat(problem(Map.of(URL, value)))
                .startsWith("snowflake 'orders': snowflake.consul.url=")
                .contains("Set snowflake.consul.token instead.")
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eu 1", "eu/1", "a&b"})
    void refusesWhatIsNoDatacenter(String value) {
        assertThat(problem(Map.of(URL, HTTP, "snowflake.consul.datacenter", value)))
                .isEqualTo("snowflake 'orders': snowflake.consul.datacenter=" + value
                        + " is not the name of a datacenter. Write letters, digits, '-' and '_'.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hunter 2", "hunter\n2", "hunter2é"})
    void refusesWhatIsNoTokenAndDoesNotShowIt(String value) throws IOException {
        assertThat(problem(Map.of(URL, HTTP, TOKEN, value)))
                .isEqualTo("snowflake 'orders': snowflake.consul.token=(not shown) holds characters that no ACL token"
                        + " has. Write the token's secret id, and nothing else.");
        Path file = Files.writeString(directory.resolve("token"), value);
        assertThat(problem(Map.of(URL, HTTP, TOKEN_FILE, file.toString())))
                .isEqualTo("snowflake 'orders': snowflake.consul.token-file=" + file + " names a file whose content"
                        + " holds characters that no ACL token has. Write the token's secret id, and nothing else.");
    }

    @Test
    void readsTheTokenFromItsFileEachTime() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), " one \r\n");
        ConsulSettings settings = settings(Map.of(URL, HTTP, TOKEN_FILE, file.toString()));

        assertThat(settings.token()).isEqualTo("one");
        Files.writeString(file, "two");
        assertThat(settings.token()).isEqualTo("two");
        Files.writeString(file, "\n");
        assertThatThrownBy(settings::token)
                .isInstanceOf(CoordinatorException.class)
                .hasMessage("snowflake 'orders': snowflake.consul.token-file=" + file
                        + " is empty. Write the ACL token into it.");
        Files.delete(file);
        assertThatThrownBy(settings::token)
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("is not a readable file");
    }

    @Test
    void readsPemFilesWhenTheyAreNeeded() throws IOException {
        Certificates pem = new Certificates(directory);
        ConsulSettings settings = settings(Map.of(
                URL,
                HTTPS,
                "snowflake.consul.tls.ca",
                pem.ca().toString(),
                "snowflake.consul.tls.cert",
                pem.clientCertificate().toString(),
                "snowflake.consul.tls.key",
                pem.clientKey().toString()));

        assertThat(settings.http().tls().identity()).isPresent();
        Files.writeString(pem.ca(), "half a file");
        assertThatThrownBy(settings.http()::tls)
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("snowflake.consul.tls.ca");
        assertThat(settings(Map.of(URL, HTTP)).http().tls()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "PT0.01S", "PT2M"})
    void refusesWhatIsNoCallTimeout(String value) {
        assertThat(problem(Map.of(URL, HTTP, "snowflake.consul.call-timeout", value)))
                .startsWith("snowflake 'orders': snowflake.consul.call-timeout=" + value);
    }

    @Test
    void callTimeoutIsAnUpperBound() {
        ConsulSettings settings = settings(Map.of(URL, HTTP, "snowflake.consul.call-timeout", "PT2S"));

        assertThat(settings.http().callTimeout().of(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.http().callTimeout().of(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void warnsOfATokenThatIsSentInTheOpen() {
        assertThat(warnings("consul-plain", Map.of(URL, HTTP, TOKEN, "secret")))
                .containsExactly("WARNING snowflake 'consul-plain': snowflake.consul.url is not encrypted, and the ACL"
                        + " token is sent there: anyone who sees the network's traffic can read it. Write https://.");
        assertThat(warnings("consul-kept", Map.of(URL, HTTPS, TOKEN, "secret"))).isEmpty();
        assertThat(warnings("consul-anonymous", Map.of(URL, HTTP))).isEmpty();
    }

    private static List<String> warnings(String generator, Map<String, String> values) {
        LogLines.listen();
        ConsulSettings unused = settings(generator, values);
        return LogLines.of(generator);
    }

    @Test
    void accessIsTheSameWhereServerAndFilesAre() {
        Certificates pem = new Certificates(directory);
        HttpSettings.Access plain = settings(Map.of(URL, HTTP)).http().access();

        assertThat(settings(Map.of(URL, "HTTP://localhost/", TOKEN, "one"))
                        .http()
                        .access())
                .isEqualTo(plain)
                .hasSameHashCodeAs(plain);
        assertThat(settings(Map.of(URL, "http://elsewhere:8500")).http().access())
                .isNotEqualTo(plain);
        assertThat(settings(Map.of(
                                URL, HTTPS, "snowflake.consul.tls.ca", pem.ca().toString()))
                        .http()
                        .access())
                .isNotEqualTo(settings(Map.of(URL, HTTPS)).http().access());
    }

    @Test
    void declaresTheKeysThatItReads() {
        Set<String> read = new TreeSet<>();
        CoordinatorConfig config = new CoordinatorConfig("default", "snowflake", Duration.ofSeconds(60), key -> {
            read.add(key);
            return key.equals(URL) ? HTTP : null;
        });
        ConsulCoordinatorProvider provider = new ConsulCoordinatorProvider();

        provider.open(config, () -> {}).close();

        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }

    @Test
    void namesAllProblemsAtOnce() {
        assertThat(problems(Map.of(
                        URL,
                        "localhost",
                        TOKEN,
                        "hunter 2",
                        "snowflake.consul.tls.key",
                        "/nowhere",
                        "snowflake.consul.call-timeout",
                        "soon")))
                .hasSize(5);
    }
}
