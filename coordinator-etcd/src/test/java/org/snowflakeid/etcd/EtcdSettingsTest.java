// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.URI;
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

class EtcdSettingsTest {
    private static final String HTTP = "http://localhost:2379";
    private static final String HTTPS = "https://localhost:2379";

    @TempDir
    private Path directory;

    private static EtcdSettings settings(Map<String, String> values) {
        return EtcdSettings.of(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), values::get));
    }

    private static List<String> problems(Map<String, String> values) {
        return catchThrowableOfType(InvalidSettingsException.class, () -> settings(values))
                .problems();
    }

    @Test
    void wantsEndpoints() {
        assertThat(problems(Map.of()))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.endpoints is not set.")
                .contains("http://localhost:2379");
    }

    @Test
    void takesSeveralEndpointsAndAddsThePort() {
        EtcdSettings settings = settings(Map.of(EtcdSettings.ENDPOINTS, " http://a:1 , HTTP://b/,http://[::1]:3"));

        assertThat(settings.endpoints())
                .containsExactly(URI.create("http://a:1"), URI.create("http://b:2379"), URI.create("http://[::1]:3"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:2379",
                "localhost",
                "ftp://localhost",
                "http://",
                "http://a:2379,",
                "http://a b:2379",
                "http://a:99999",
                "http://a:2379/v3",
                "http://a:2379?x=1",
                "http://user:secret@a:2379"
            })
    void refusesWhatIsNoEndpoint(String value) {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.endpoints=")
                .contains("is not the URL of a server")
                .doesNotContain("secret");
    }

    @Test
    void refusesHttpBesideHttps() {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTP + "," + HTTPS)))
                .singleElement()
                .asString()
                .contains("mixes http and https");
    }

    @Test
    void refusesUserWithoutPasswordAndPasswordWithoutUser() {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTP, EtcdSettings.USER, "app")))
                .singleElement()
                .asString()
                .contains("snowflake.etcd.user=app")
                .contains("Set snowflake.etcd.password");
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTP, EtcdSettings.PASSWORD, "hunter2")))
                .singleElement()
                .asString()
                .contains("Set snowflake.etcd.user")
                .doesNotContain("hunter2");
    }

    @Test
    void keepsBlanksInPasswords() {
        EtcdSettings settings = settings(
                Map.of(EtcdSettings.ENDPOINTS, HTTP, EtcdSettings.USER, "app", EtcdSettings.PASSWORD, " a b "));

        assertThat(settings.password()).isEqualTo(" a b ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "2s", "PT0.01S", "PT2M", "-PT1S"})
    void refusesWhatIsNoCallTimeout(String value) {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTP, EtcdSettings.CALL_TIMEOUT, value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.call-timeout=" + value);
    }

    @Test
    void callTimeoutIsAnUpperBound() {
        EtcdSettings settings = settings(Map.of(EtcdSettings.ENDPOINTS, HTTP, EtcdSettings.CALL_TIMEOUT, "PT2S"));

        assertThat(settings.callTimeout(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.callTimeout(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void takesPemFiles() {
        Certificates pem = new Certificates(directory);

        EtcdSettings settings = settings(Map.of(
                EtcdSettings.ENDPOINTS, HTTPS,
                EtcdSettings.TLS_CA, pem.ca().toString(),
                EtcdSettings.TLS_CERT, pem.clientCertificate().toString(),
                EtcdSettings.TLS_KEY, pem.clientKey().toString()));

        assertThat(settings.tls()).isNotNull();
    }

    @Test
    void refusesTlsFilesForPlainEndpoints() {
        String ca = new Certificates(directory).ca().toString();

        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTP, EtcdSettings.TLS_CA, ca)))
                .singleElement()
                .asString()
                .contains("snowflake.etcd.endpoints=" + HTTP)
                .contains("https://");
    }

    @Test
    void refusesCertificateWithoutKeyAndKeyWithoutCertificate() {
        Certificates pem = new Certificates(directory);
        String cert = pem.clientCertificate().toString();
        String key = pem.clientKey().toString();

        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTPS, EtcdSettings.TLS_CERT, cert)))
                .singleElement()
                .asString()
                .contains("snowflake.etcd.tls.cert=" + cert)
                .contains("Set snowflake.etcd.tls.key");
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTPS, EtcdSettings.TLS_KEY, key)))
                .singleElement()
                .asString()
                .contains("snowflake.etcd.tls.key=" + key)
                .contains("Set snowflake.etcd.tls.cert");
    }

    @Test
    void refusesFilesThatAreNotThereOrNotPem() throws IOException {
        Certificates pem = new Certificates(directory);
        String missing = directory.resolve("missing.pem").toString();
        String text = Files.writeString(directory.resolve("text.pem"), "no PEM").toString();

        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTPS, EtcdSettings.TLS_CA, missing)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.tls.ca=" + missing + " is not a readable file");
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS, HTTPS, EtcdSettings.TLS_CA, text)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.tls.ca=" + text);
        assertThat(problems(Map.of(
                        EtcdSettings.ENDPOINTS, HTTPS,
                        EtcdSettings.TLS_CERT, text,
                        EtcdSettings.TLS_KEY, pem.clientKey().toString())))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.tls.cert=" + text);
        assertThat(problems(Map.of(
                        EtcdSettings.ENDPOINTS, HTTPS,
                        EtcdSettings.TLS_CERT, pem.clientCertificate().toString(),
                        EtcdSettings.TLS_KEY, text)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.tls.key=" + text);
    }

    @Test
    void namesAllProblemsAtOnce() {
        assertThat(problems(Map.of(
                        EtcdSettings.ENDPOINTS, HTTP,
                        EtcdSettings.USER, "app",
                        EtcdSettings.TLS_KEY, "/nowhere",
                        EtcdSettings.CALL_TIMEOUT, "soon")))
                .hasSize(5);
    }
}
