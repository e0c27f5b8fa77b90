// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.unique;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SecretFileContract;
import org.snowflakeid.tck.TlsContract;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.kubernetes.ApiServer;
import org.snowflakeid.testservers.kubernetes.MockApiServer;

/** Tokens, rights and certificates: what works, and how the rest is refused. */
class KubernetesRightsTest {
    @TempDir
    private Path directory;

    private static ApiServer server;
    private static MockApiServer plain;
    private static TcpProxy otherHost;
    private static Certificates foreign;
    private static String token;

    private final String namespace = Node.freshNamespace();

    @BeforeAll
    static void start(@TempDir Path others) throws IOException {
        server = ApiServer.start();
        token = Files.readString(server.token(ApiServer.VERBS)).strip();
        plain = MockApiServer.start();
        otherHost = TcpProxy.to(server.port(), TlsContract.OTHER_HOST);
        foreign = new Certificates(others);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        plain.close();
        otherHost.close();
    }

    @Nested
    class Token extends SecretFileContract {

        Token() {
            super("kubernetes", "snowflake.kubernetes.token-file", token, "eyJhbGci.expired");
        }

        @Override
        protected Map<String, String> settings() {
            return without("snowflake.kubernetes.token-file");
        }

        @Override
        protected String saidOfARefusal() {
            return "does not accept the token";
        }

        @Override
        protected Map<String, String> anonymous() {
            return settings();
        }

        /** A real one takes such a client for a user without any rights. */
        @Override
        protected String saidToAnAnonymousClient() {
            return server instanceof MockApiServer
                    ? "Set snowflake.kubernetes.token-file"
                    : "forbids this client to get leases";
        }
    }

    @Nested
    class Tls extends TlsContract {

        Tls() {
            super(
                    "kubernetes",
                    "snowflake.kubernetes.url",
                    new Ports(server.port(), otherHost.port(), plain.port()),
                    server.certificates().settings("snowflake.kubernetes.tls"),
                    foreign.settings("snowflake.kubernetes.tls"));
        }

        @Override
        protected Map<String, String> at(boolean encrypted, String host, int port) {
            Map<String, String> keys = without("snowflake.kubernetes.tls.ca");
            keys.put("snowflake.kubernetes.url", (encrypted ? "https://" : "http://") + host + ":" + port);
            return keys;
        }

        @Override
        protected String saidToAPlainClient() {
            return "snowflake.kubernetes.url";
        }

        @Override
        protected String saidOfAPlainServer() {
            return "http or https in snowflake.kubernetes.url";
        }
    }

    private static Map<String, String> without(String key) {
        Map<String, String> settings = new HashMap<>(server.settings());
        settings.remove(key);
        return settings;
    }

    private Node node(Path token, String... more) {
        Map<String, String> settings = new HashMap<>(server.settings(server.port(), token));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return new KubernetesNode(namespace, settings);
    }

    private static Path tokenWithout(String verb) {
        List<String> verbs = new ArrayList<>(ApiServer.VERBS);
        verbs.remove(verb);
        return server.token(verbs);
    }

    private static CoordinatorException readRefused(Node node) {
        return catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
    }

    private static void assertPermanent(CoordinatorException thrown, String... parts) {
        assertThat(thrown).hasMessageContainingAll(parts);
        assertThat(thrown.permanent()).as(thrown.getMessage()).isTrue();
    }

    @Test
    void getListCreateAndUpdateAreEnoughAndNothingElseIsAskedFor() {
        try (Node node = node(server.token(ApiServer.VERBS))) {
            Stored meta = node.createMeta();
            Stored mark = node.claim(3);
            CasResult.Applied extended = applied(node.extend(3, mark));
            assertThat(node.read(0, 1023).slots()).hasSize(1024);
            applied(node.coordinator.release(3, extended.written(), unique("free"), node.owner(3), meta, TIMEOUT));
            node.claim(4);
            node.coordinator.abandon(4, node.owner(4), TIMEOUT);

            assertThat(server.requests())
                    .contains("get leases", "list leases", "create leases", "update leases")
                    .isSubsetOf("get leases", "list leases", "create leases", "update leases");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "list", "create", "update"})
    void whatIsNotGrantedIsNamedAndChangesNothing(String verb) {
        Stored meta;
        try (Node other = node(server.token(ApiServer.VERBS))) {
            meta = other.createMeta();
            other.claim(3);
            try (Node node = node(tokenWithout(verb))) {
                Stored mark = other.slot(3).mark();
                CoordinatorException thrown = catchThrowableOfType(CoordinatorException.class, () -> {
                    switch (verb) {
                        case "get" -> node.coordinator.read(3, 3, TIMEOUT);
                        case "list" -> node.coordinator.read(3, 4, TIMEOUT);
                        case "create" -> node.coordinator.claim(4, null, "m", "o", false, meta, TIMEOUT);
                        default -> node.coordinator.claim(3, mark, "m", "o", true, meta, TIMEOUT);
                    }
                });

                assertPermanent(
                        thrown,
                        "https://127.0.0.1:" + server.port(),
                        "forbids this client to " + verb + " leases in namespace 'apps'",
                        "Grant get, list, create and update on leases of coordination.k8s.io",
                        "snowflake.kubernetes.namespace");
                assertThat(other.slot(3).mark()).isEqualTo(mark);
                assertThat(other.slot(4).mark()).isNull();
            }
        }
    }

    @Test
    void otherNamespaceIsForbidden() {
        try (Node node = node(server.token(ApiServer.VERBS), "snowflake.kubernetes.namespace", "others")) {
            assertPermanent(readRefused(node), "namespace 'others'", "snowflake.kubernetes.namespace");
        }
    }

    @Test
    void worksWithACertificateInPlaceOfATokenOnceItIsTheRightOne() throws Exception {
        try (MockApiServer mock = MockApiServer.startEncrypted()) {
            mock.acceptCertificate("CN=client");
            Certificates files = mock.certificates();
            Path certificate = Files.copy(foreign.clientCertificate(), directory.resolve("cert.pem"));
            Path key = Files.copy(foreign.clientKey(), directory.resolve("key.pem"));
            Map<String, String> settings = new HashMap<>(mock.settings());
            settings.remove("snowflake.kubernetes.token-file");
            settings.put("snowflake.kubernetes.tls.cert", certificate.toString());
            settings.put("snowflake.kubernetes.tls.key", key.toString());
            try (Node node = new KubernetesNode(namespace, settings)) {
                assertThat(readRefused(node)).isNotNull();

                Files.write(certificate, Files.readAllBytes(files.clientCertificate()));
                Files.write(key, Files.readAllBytes(files.clientKey()));

                node.createMeta();
                node.claim(3);
            }
        }
    }
}
