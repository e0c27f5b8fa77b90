// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.LogLines;

class EtcdSettingsTest {
    private static final String HTTP = "http://localhost:2379";
    private static final String HTTPS = "https://localhost:2379";

    @TempDir
    private Path directory;

    private static EtcdSettings settings(Map<String, String> values) {
        return new EtcdSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), values::get));
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
        EtcdSettings settings =
                settings(Map.of(EtcdSettings.ENDPOINTS.name(), " http://a:1 , HTTP://b/,http://[::1]:3"));

        assertThat(settings.endpoints())
                .containsExactly(URI.create("http://a:1"), URI.create("http://b:2379"), URI.create("http://[::1]:3"));
    }

    /** As Compose makes them; java.net.URI takes no such name for a host's. */
    @Test
    void takesNamesOfHostsWithAnUnderscore() {
        EtcdSettings settings = settings(Map.of(EtcdSettings.ENDPOINTS.name(), "http://etcd_1:1,http://my_etcd/"));

        assertThat(settings.endpoints())
                .containsExactly(URI.create("http://etcd_1:1"), URI.create("http://my_etcd:2379"));
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), "https://a:1,https://etcd_1:1")))
                .singleElement()
                .asString()
                .contains("snowflake.etcd.endpoints=https://a:1,https://etcd_1:1 has '_' in the name of a host");
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
                "http://a_b:99999",
                "http://a_b:2379?password=secret",
                "http://a:2379/v3",
                "http://a:2379?password=secret",
                "http://a:2379#secret",
                "http://a:2379?password=se,cret",
                "http://a:2379;password=secret"
            })
    void refusesWhatIsNoEndpoint(String value) {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.endpoints=")
                .contains("is not the URL of a server")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://user:hunter2@a:2379",
                "http://user:hunter2@a_b:2379",
                "http://user:hunter2/x@a:2379",
                "http://user:12/hunter2@a:2379",
                "http://user:12,hunter2@a:2379",
                "http://b:2379,http://user:hunter2@a:2379",
                "http://user:hunter2@a:2379?x=1",
                "http://a:2379?password=hunter2@b",
                "user:hunter2@a:2379",
                "user:12,hunter2@a:2379",
                "hunter2@a"
            })
    void refusesCredentialsInAnEndpointAndDoesNotShowThem(String value) {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.endpoints=")
                .contains("Set snowflake.etcd.user and snowflake.etcd.password instead.")
                .doesNotContain("hunter2", "user:");
    }

    @Test
    void refusesHttpBesideHttps() {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), HTTP + "," + HTTPS)))
                .singleElement()
                .asString()
                .contains("mixes http and https");
    }

    @Test
    void refusesUserWithoutPasswordAndPasswordWithoutUser() {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), HTTP, EtcdSettings.USER.name(), "app")))
                .singleElement()
                .asString()
                .contains("snowflake.etcd.user=app")
                .contains("Set snowflake.etcd.password");
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), HTTP, EtcdSettings.PASSWORD.name(), "hunter2")))
                .singleElement()
                .asString()
                .contains("Set snowflake.etcd.user")
                .doesNotContain("hunter2");
    }

    @Test
    void refusesAFileWithoutAUser() throws IOException {
        String file =
                Files.writeString(directory.resolve("password"), "hunter2").toString();

        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), HTTP, EtcdSettings.PASSWORD_FILE.name(), file)))
                .singleElement()
                .asString()
                .contains("Set snowflake.etcd.user");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "2s", "PT0.01S", "PT2M", "-PT1S"})
    void refusesWhatIsNoCallTimeout(String value) {
        assertThat(problems(Map.of(EtcdSettings.ENDPOINTS.name(), HTTP, EtcdSettings.CALL_TIMEOUT.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.call-timeout=" + value);
    }

    @Test
    void callTimeoutIsAnUpperBound() {
        EtcdSettings settings =
                settings(Map.of(EtcdSettings.ENDPOINTS.name(), HTTP, EtcdSettings.CALL_TIMEOUT.name(), "PT2S"));

        assertThat(settings.callTimeout().of(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.callTimeout().of(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void warnsOfAPasswordThatIsSentInTheOpen() {
        assertThat(warnings(
                        "etcd-plain",
                        Map.of(
                                EtcdSettings.ENDPOINTS.name(), HTTP,
                                EtcdSettings.USER.name(), "app",
                                EtcdSettings.PASSWORD.name(), "secret")))
                .containsExactly("WARNING snowflake 'etcd-plain': snowflake.etcd.endpoints is not encrypted, and the"
                        + " password of snowflake.etcd.user is sent there: anyone who sees the network's traffic can read"
                        + " it. Write https://.");
        assertThat(warnings(
                        "etcd-kept",
                        Map.of(
                                EtcdSettings.ENDPOINTS.name(), HTTPS,
                                EtcdSettings.USER.name(), "app",
                                EtcdSettings.PASSWORD.name(), "secret")))
                .isEmpty();
        assertThat(warnings("etcd-anonymous", Map.of(EtcdSettings.ENDPOINTS.name(), HTTP)))
                .isEmpty();
    }

    private static List<String> warnings(String generator, Map<String, String> values) {
        LogLines.listen();
        new EtcdSettings(new CoordinatorConfig(generator, "snowflake", Duration.ofSeconds(60), values::get));
        return LogLines.of(generator);
    }

    @Test
    void accessIsTheSameWhereServersUserAndFilesAre() throws IOException {
        Certificates pem = new Certificates(Files.createDirectory(directory.resolve("one")));
        Certificates others = new Certificates(Files.createDirectory(directory.resolve("others")));
        Map<String, String> plain = Map.of(EtcdSettings.ENDPOINTS.name(), HTTP);
        Map<String, String> user = with(plain, EtcdSettings.USER, "app", EtcdSettings.PASSWORD, "hunter2");
        Map<String, String> encrypted = with(Map.of(), EtcdSettings.ENDPOINTS, HTTPS, EtcdSettings.TLS.ca(), pem.ca());
        Map<String, String> mutual = with(
                encrypted, EtcdSettings.TLS.cert(), pem.clientCertificate(), EtcdSettings.TLS.key(), pem.clientKey());
        List<Map<String, String>> different = List.of(
                plain,
                Map.of(EtcdSettings.ENDPOINTS.name(), "http://elsewhere:2379"),
                user,
                with(user, EtcdSettings.USER, "app", EtcdSettings.PASSWORD, "hunter3"),
                with(user, EtcdSettings.USER, "other", EtcdSettings.PASSWORD, "hunter2"),
                Map.of(EtcdSettings.ENDPOINTS.name(), HTTPS),
                encrypted,
                with(encrypted, EtcdSettings.TLS.ca(), others.ca(), EtcdSettings.TLS.ca(), others.ca()),
                mutual);

        for (int i = 0; i < different.size(); i++) {
            EtcdSettings.Access access = access(different.get(i));
            for (int j = 0; j < different.size(); j++) {
                assertThat(access.equals(access(different.get(j))))
                        .as("%s and %s", different.get(i), different.get(j))
                        .isEqualTo(i == j);
            }
            assertThat(access).hasSameHashCodeAs(access(different.get(i)));
            assertThat(access.toString()).doesNotContain("hunter");
        }
        assertThat(access(with(plain, EtcdSettings.CALL_TIMEOUT, "PT2S", EtcdSettings.ENDPOINTS, HTTP)))
                .isEqualTo(access(plain));
        EtcdSettings.Access before = access(encrypted);
        Files.copy(others.ca(), pem.ca(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(access(encrypted)).isEqualTo(before);
    }

    private static EtcdSettings.Access access(Map<String, String> keys) {
        return settings(keys).access();
    }

    private static Map<String, String> with(
            Map<String, String> keys, Key<?> one, Object value, Key<?> other, Object otherValue) {
        Map<String, String> all = new HashMap<>(keys);
        all.put(one.name(), value.toString());
        all.put(other.name(), otherValue.toString());
        return all;
    }

    @Test
    void takesOnePemFileOfAllWithRemarksBetween() throws IOException {
        Certificates pem = new Certificates(directory);
        String all = Files.writeString(
                        directory.resolve("all.pem"),
                        "Bag Attributes\n" + Files.readString(pem.clientKey()) + "subject=client\n"
                                + Files.readString(pem.clientCertificate()) + Files.readString(pem.ca()))
                .toString();

        EtcdSettings settings = settings(Map.of(
                EtcdSettings.ENDPOINTS.name(), HTTPS,
                EtcdSettings.TLS.ca().name(), all,
                EtcdSettings.TLS.cert().name(), all,
                EtcdSettings.TLS.key().name(), all));

        assertThat(settings.sslContext()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519", "RSASSA-PSS", "DSA"})
    void takesPrivateKeysOfAllUsualAlgorithms(String algorithm) throws Exception {
        byte[] key = KeyPairGenerator.getInstance(algorithm)
                .generateKeyPair()
                .getPrivate()
                .getEncoded();
        Path file = Files.writeString(
                directory.resolve("key.pem"),
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(key)
                        + "\n-----END PRIVATE KEY-----\n");

        EtcdSettings settings = settings(Map.of(
                EtcdSettings.ENDPOINTS.name(), HTTPS,
                EtcdSettings.TLS.cert().name(),
                        new Certificates(directory).clientCertificate().toString(),
                EtcdSettings.TLS.key().name(), file.toString()));

        assertThat(settings.sslContext()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA ", "EC ", "ENCRYPTED "})
    void saysHowToConvertAPrivateKeyOfAnotherFormat(String format) throws IOException {
        Certificates pem = new Certificates(directory);
        String key = Files.readString(pem.clientKey()).replace("PRIVATE KEY", format + "PRIVATE KEY");
        Path file = Files.writeString(directory.resolve("key.pem"), key);

        assertThat(problems(Map.of(
                        EtcdSettings.ENDPOINTS.name(), HTTPS,
                        EtcdSettings.TLS.cert().name(), pem.clientCertificate().toString(),
                        EtcdSettings.TLS.key().name(), file.toString())))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.etcd.tls.key=" + file)
                .contains("it begins with " + format + "PRIVATE KEY", "openssl pkcs8 -topk8 -nocrypt");
    }

    @Test
    void declaresTheKeysThatItReads() {
        Set<String> read = new TreeSet<>();
        CoordinatorConfig config = new CoordinatorConfig("default", "snowflake", Duration.ofSeconds(60), key -> {
            read.add(key);
            return key.endsWith("endpoints") ? HTTP : null;
        });
        EtcdCoordinatorProvider provider = new EtcdCoordinatorProvider();

        provider.open(config, () -> {}).close();

        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }

    @Test
    void namesAllProblemsAtOnce() {
        assertThat(problems(Map.of(
                        EtcdSettings.ENDPOINTS.name(), HTTP,
                        EtcdSettings.USER.name(), "app",
                        EtcdSettings.TLS.key().name(), "/nowhere",
                        EtcdSettings.CALL_TIMEOUT.name(), "soon")))
                .hasSize(5);
    }
}
