// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.Certificates;

class ZooKeeperSettingsTest {
    private static final String SERVER = "localhost:2181";

    @TempDir
    private Path directory;

    private static ZooKeeperSettings settings(Map<String, String> values) {
        return ZooKeeperSettings.of(
                new CoordinatorConfig("orders", "snowflake/orders", Duration.ofSeconds(60), values::get));
    }

    private static List<String> problems(Map<String, String> values) {
        return catchThrowableOfType(InvalidSettingsException.class, () -> settings(values))
                .problems();
    }

    @Test
    void wantsServers() {
        assertThat(problems(Map.of()))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.connect-string is not set.")
                .contains("zk-1:2181");
    }

    @Test
    void takesSeveralServersAndAddsThePort() {
        ZooKeeperSettings settings = settings(Map.of(ZooKeeperSettings.CONNECT_STRING, " a:1 , b,[::1]:3 "));

        assertThat(settings.connectString()).isEqualTo("a:1,b:2181,[::1]:3");
        assertThat(settings.root()).isEqualTo("/snowflake/orders");
        assertThat(settings.tls()).isFalse();
    }

    @Test
    void putsEverythingBelowThePathOfTheConnectString() {
        assertThat(settings(Map.of(ZooKeeperSettings.CONNECT_STRING, "a:1,b:2/teams/ids"))
                        .root())
                .isEqualTo("/teams/ids/snowflake/orders");
        assertThat(settings(Map.of(ZooKeeperSettings.CONNECT_STRING, "a:1/")).root())
                .isEqualTo("/snowflake/orders");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a:2181,", "a b:2181", "a:99999", "a:0", "a:", "http://a:2181", "user@a:2181", ",a", "/ids"})
    void refusesWhatIsNoServer(String value) {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING, value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.connect-string=" + value)
                .contains("is not a server", "host:2181");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:2181/ids/", "a:2181//ids", "a:2181/./ids"})
    void refusesWhatIsNoPath(String value) {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING, value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.connect-string=" + value)
                .contains("ends in a path that can't be used", "Write it as /path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hunter2", ":hunter2", "hunter2:"})
    void refusesADigestThatIsNotUserAndPasswordAndDoesNotShowIt(String value) {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING, SERVER, ZooKeeperSettings.DIGEST, value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.digest=")
                .contains("user:password")
                .doesNotContain("hunter2");
    }

    @Test
    void keepsBlanksAndColonsInPasswords() {
        ZooKeeperSettings settings =
                settings(Map.of(ZooKeeperSettings.CONNECT_STRING, SERVER, ZooKeeperSettings.DIGEST, "app: a:b "));

        assertThat(settings.digest()).isEqualTo("app: a:b ");
    }

    @Test
    void takesPemFiles() {
        Certificates pem = new Certificates(directory);

        ZooKeeperSettings settings = settings(Map.of(
                ZooKeeperSettings.CONNECT_STRING, SERVER,
                ZooKeeperSettings.TLS_CA, pem.ca().toString(),
                ZooKeeperSettings.TLS_CERT, pem.clientCertificate().toString(),
                ZooKeeperSettings.TLS_KEY, pem.clientKey().toString()));

        assertThat(settings.tls()).isTrue();
        assertThat(settings.trusted()).isNotNull();
        assertThat(settings.keys()).isNotNull();
    }

    @Test
    void trustsTheAuthoritiesOfTheJvmUnlessToldOtherwise() {
        ZooKeeperSettings settings =
                settings(Map.of(ZooKeeperSettings.CONNECT_STRING, SERVER, ZooKeeperSettings.TLS_ENABLED, "true"));

        assertThat(settings.tls()).isTrue();
        assertThat(settings.trusted()).isNull();
    }

    @Test
    void refusesTlsThatIsNeitherOnNorOff() {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING, SERVER, ZooKeeperSettings.TLS_ENABLED, "yes")))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.tls.enabled=yes is neither true nor false");
    }

    @Test
    void refusesTlsFilesWhereTlsIsOff() {
        String ca = new Certificates(directory).ca().toString();

        assertThat(problems(Map.of(
                        ZooKeeperSettings.CONNECT_STRING, SERVER,
                        ZooKeeperSettings.TLS_ENABLED, "false",
                        ZooKeeperSettings.TLS_CA, ca)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.tls.enabled=false contradicts");
    }

    @Test
    void refusesCertificateWithoutKeyAndKeyWithoutCertificate() {
        Certificates pem = new Certificates(directory);
        String cert = pem.clientCertificate().toString();
        String key = pem.clientKey().toString();

        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING, SERVER, ZooKeeperSettings.TLS_CERT, cert)))
                .singleElement()
                .asString()
                .contains("snowflake.zookeeper.tls.cert=" + cert)
                .contains("Set snowflake.zookeeper.tls.key");
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING, SERVER, ZooKeeperSettings.TLS_KEY, key)))
                .singleElement()
                .asString()
                .contains("snowflake.zookeeper.tls.key=" + key)
                .contains("Set snowflake.zookeeper.tls.cert");
    }

    @Test
    void refusesFilesThatAreNotThereOrNotPem() throws IOException {
        Certificates pem = new Certificates(directory);
        String missing = directory.resolve("missing.pem").toString();
        String text = Files.writeString(directory.resolve("text.pem"), "no PEM").toString();
        String cert = pem.clientCertificate().toString();
        String key = pem.clientKey().toString();

        refuses(ZooKeeperSettings.TLS_CA, missing, Map.of(ZooKeeperSettings.TLS_CA, missing));
        refuses(ZooKeeperSettings.TLS_CA, text, Map.of(ZooKeeperSettings.TLS_CA, text));
        refuses(
                ZooKeeperSettings.TLS_CERT,
                text,
                Map.of(ZooKeeperSettings.TLS_CERT, text, ZooKeeperSettings.TLS_KEY, key));
        refuses(
                ZooKeeperSettings.TLS_KEY,
                text,
                Map.of(ZooKeeperSettings.TLS_CERT, cert, ZooKeeperSettings.TLS_KEY, text));
        refuses(
                ZooKeeperSettings.TLS_KEY,
                missing,
                Map.of(ZooKeeperSettings.TLS_CERT, cert, ZooKeeperSettings.TLS_KEY, missing));
    }

    private static void refuses(String key, String value, Map<String, String> tls) {
        Map<String, String> values = new java.util.HashMap<>(tls);
        values.put(ZooKeeperSettings.CONNECT_STRING, SERVER);
        assertThat(problems(values))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': " + key + "=" + value)
                .contains("Name ");
    }

    @Test
    void namesAllProblemsAtOnce() {
        assertThat(problems(Map.of(
                        ZooKeeperSettings.CONNECT_STRING, "a:b",
                        ZooKeeperSettings.DIGEST, "app",
                        ZooKeeperSettings.TLS_ENABLED, "off",
                        ZooKeeperSettings.TLS_KEY, "/nowhere")))
                .hasSize(5);
    }
}
