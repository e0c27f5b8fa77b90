// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.http.HttpSettings;
import org.snowflakeid.kubernetes.KubernetesSettings.Pod;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.LogLines;

class KubernetesSettingsTest {
    private static final String URL = "snowflake.kubernetes.url";
    private static final String NAMESPACE = "snowflake.kubernetes.namespace";
    private static final String TOKEN_FILE = "snowflake.kubernetes.token-file";
    private static final String CA = "snowflake.kubernetes.tls.ca";

    @TempDir
    private Path directory;

    private Path mount;
    private Certificates pem;
    private final Pod nowhere = new Pod(name -> null, Path.of("/nowhere"));

    @BeforeEach
    void makeFiles() throws IOException {
        pem = new Certificates(directory);
        mount = Files.createDirectory(directory.resolve("mount"));
        Files.writeString(mount.resolve("namespace"), "apps");
        Files.writeString(mount.resolve("token"), "t0ken.of-a_pod\n");
        Files.copy(pem.ca(), mount.resolve("ca.crt"));
    }

    private Pod pod(String host) {
        Map<String, String> environment = Map.of("KUBERNETES_SERVICE_HOST", host, "KUBERNETES_SERVICE_PORT", "443");
        return new Pod(environment::get, mount);
    }

    private static KubernetesSettings settings(Pod pod, String... pairs) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i], pairs[i + 1]);
        }
        return new KubernetesSettings(
                new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), values::get), pod);
    }

    private static List<String> problems(Pod pod, String... pairs) {
        return catchThrowableOfType(InvalidSettingsException.class, () -> settings(pod, pairs))
                .problems();
    }

    @Test
    void inAPodNothingHasToBeSet() {
        KubernetesSettings settings = settings(pod("10.0.0.1"));

        assertThat(settings.http().access().servers()).containsExactly("https://10.0.0.1:443");
        assertThat(settings.namespace()).isEqualTo("apps");
        assertThat(settings.token()).isEqualTo("t0ken.of-a_pod");
        assertThat(settings.http().tls().trusted()).isPresent();
        assertThat(settings(pod("fd00::1")).http().access().servers()).containsExactly("https://[fd00::1]:443");
    }

    @Test
    void whatIsSetReplacesWhatThePodHas() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "other");

        KubernetesSettings settings = settings(
                pod("10.0.0.1"), URL, "HTTPS://api:6443/k8s/c-1/", NAMESPACE, "ids", TOKEN_FILE, token.toString());

        assertThat(settings.http().access().servers()).containsExactly("https://api:6443/k8s/c-1");
        assertThat(settings.namespace()).isEqualTo("ids");
        assertThat(settings.token()).isEqualTo("other");
    }

    @Test
    void outsideAPodUrlAndNamespaceAreWanted() {
        assertThat(problems(nowhere))
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("snowflake 'orders': snowflake.kubernetes.url is not set")
                        .contains("kubectl cluster-info"))
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("snowflake 'orders': snowflake.kubernetes.namespace is not set"));
    }

    @Test
    void thePodsTokenIsNotForAServerThatIsNotEncrypted() {
        KubernetesSettings settings = settings(pod("10.0.0.1"), URL, "http://127.0.0.1:8001");

        assertThat(settings.token()).isNull();
        assertThat(settings.http().tls()).isNull();
    }

    @Test
    void thePodsTokenIsNotForAServerThatKnowsThisClientByItsCertificate() {
        KubernetesSettings settings = settings(
                pod("10.0.0.1"),
                URL,
                "https://other:6443",
                "snowflake.kubernetes.tls.ca",
                pem.ca().toString(),
                "snowflake.kubernetes.tls.cert",
                pem.clientCertificate().toString(),
                "snowflake.kubernetes.tls.key",
                pem.clientKey().toString());

        assertThat(settings.token()).isNull();
        assertThat(settings.tokenFile()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1:6443",
                "api",
                "ftp://api",
                "https://",
                "https://a b",
                "https://a:99999",
                "https://a:0",
                "https://a?token=secret",
                "https://a#secret",
                // As Kubernetes leaves a variable that is not set.
                "$(API_SERVER):6443",
                "\\\\a:6443"
            })
    void refusesWhatIsNoUrl(String value) {
        assertThat(problems(pod("10.0.0.1"), URL, value))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.kubernetes.url=")
                .contains("is not the URL of a server")
                .doesNotContain("secret");
    }

    @Test
    void refusesCredentialsInTheUrlAndDoesNotShowThem() {
        assertThat(problems(pod("10.0.0.1"), URL, "https://user:hunter2@a:6443"))
                .singleElement()
                .asString()
                .contains("Set snowflake.kubernetes.token-file instead.")
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Apps", "a_b", "-a", "a-", "a.b", "snowflake/orders"})
    void refusesWhatIsNoNamespaceOfKubernetes(String value) {
        assertThat(problems(pod("10.0.0.1"), NAMESPACE, value))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.kubernetes.namespace=" + value)
                .contains("snowflake.namespace");
    }

    @Test
    void refusesATokenFileThatHoldsSomethingElseAndACallTimeoutThatIsNone() throws IOException {
        String text =
                Files.writeString(directory.resolve("text"), "not a token\n").toString();

        assertThat(problems(pod("10.0.0.1"), TOKEN_FILE, text))
                .singleElement()
                .asString()
                .contains(TOKEN_FILE + "=" + text + " holds no token")
                .doesNotContain("not a token");
        assertThat(problems(pod("10.0.0.1"), "snowflake.kubernetes.call-timeout", "2s"))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.kubernetes.call-timeout=2s");
    }

    @Test
    void readsTheTokenAnewEachTime() throws IOException {
        KubernetesSettings settings = settings(pod("10.0.0.1"));
        assertThat(settings.token()).isEqualTo("t0ken.of-a_pod");

        Files.writeString(mount.resolve("token"), "next");
        assertThat(settings.token()).isEqualTo("next");
        Files.writeString(mount.resolve("token"), "");
        assertThatThrownBy(settings::token)
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("holds no token");
    }

    @Test
    void warnsOfATokenThatOthersCanReadOrThatIsSentInTheOpen() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "secret");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(mount.resolve("token"), PosixFilePermissions.fromString("rw-r--r--"));
        LogLines.listen();

        open("k8s-open", pod("10.0.0.1"), Map.of(URL, "http://127.0.0.1:8001", TOKEN_FILE, token.toString()));
        open("k8s-pod", pod("10.0.0.1"), Map.of());

        assertThat(LogLines.of("k8s-open"))
                .anyMatch(line -> line.startsWith("WARNING") && line.contains("chmod 600"))
                .anyMatch(line -> line.startsWith("WARNING") && line.contains("is not encrypted, and the token"))
                .hasSize(2)
                .noneMatch(line -> line.contains("secret"));
        assertThat(LogLines.of("k8s-pod")).isEmpty();
    }

    private static void open(String generator, Pod pod, Map<String, String> values) {
        KubernetesSettings unused = new KubernetesSettings(
                new CoordinatorConfig(generator, "snowflake", Duration.ofSeconds(60), values::get), pod);
        assertThat(unused.namespace()).isEqualTo("apps");
    }

    @Test
    void accessIsTheSameWhereServerAndFilesAre() {
        HttpSettings.Access access = settings(pod("10.0.0.1")).http().access();

        assertThat(settings(pod("10.0.0.1"), NAMESPACE, "other", "snowflake.kubernetes.call-timeout", "PT1S")
                        .http()
                        .access())
                .isEqualTo(access);
        assertThat(settings(pod("10.0.0.2")).http().access()).isNotEqualTo(access);
        assertThat(settings(pod("10.0.0.1"), CA, pem.ca().toString()).http().access())
                .isNotEqualTo(access);
    }

    @Test
    void callTimeoutIsAnUpperBound() {
        KubernetesSettings settings = settings(pod("10.0.0.1"), "snowflake.kubernetes.call-timeout", "PT2S");

        assertThat(settings.http().callTimeout().of(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.http().callTimeout().of(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void declaresTheKeysThatItReads() {
        Set<String> read = new TreeSet<>();
        KubernetesSettings unused = new KubernetesSettings(
                new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), key -> {
                    read.add(key);
                    return null;
                }),
                pod("10.0.0.1"));

        assertThat(unused.namespace()).isEqualTo("apps");
        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(new KubernetesCoordinatorProvider().keys())
                .extracting(Key::name)
                .containsExactlyInAnyOrderElementsOf(read);
    }
}
