// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.ConsulServer;

/** ACL tokens and certificates: what works, and how the rest is refused. */
class ConsulSecurityTest {
    private static final String MASTER = UUID.randomUUID().toString();
    private static final String APP = UUID.randomUUID().toString();
    private static final String ONE_KEY = UUID.randomUUID().toString();
    private static final String STRANGER = UUID.randomUUID().toString();

    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static ConsulServer withTokens;
    private static ConsulServer mutualTls;

    @BeforeAll
    static void start() throws Exception {
        trusted = new Certificates(Files.createDirectory(directory.resolve("trusted")));
        foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        withTokens = ConsulServer.builder().acl(MASTER).tls(trusted, false).start();
        await(Node.PATIENCE, () -> {
            try {
                return withTokens.consul("acl", "policy", "list", "-token=" + MASTER) != null;
            } catch (IllegalStateException notYet) {
                return false;
            }
        });
        token(APP, "app", "key_prefix \"snowflake/\" { policy = \"write\" }");
        token(ONE_KEY, "one-key", "key \"snowflake/meta\" { policy = \"write\" }");
        token(STRANGER, "stranger", "key_prefix \"elsewhere/\" { policy = \"write\" }");
        mutualTls = ConsulServer.builder().tls(trusted, true).start();
    }

    private static void token(String secret, String name, String rules) {
        withTokens.consul("acl", "policy", "create", "-token=" + MASTER, "-name=" + name, "-rules=" + rules);
        withTokens.consul("acl", "token", "create", "-token=" + MASTER, "-policy-name=" + name, "-secret=" + secret);
    }

    @AfterAll
    static void stop() {
        withTokens.close();
        mutualTls.close();
    }

    private static Node at(String url, String... more) {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < more.length; i += 2) {
            keys.put("snowflake.consul." + more[i], more[i + 1]);
        }
        return ConsulNode.at(url, keys);
    }

    private static Node withToken(String token) {
        return at(withTokens.url(), "tls.ca", trusted.ca().toString(), "token", token);
    }

    // ---- tokens

    @Test
    void worksWithATokenThatMayWriteTheNamespaceAndNothingElse() {
        try (Node node = withToken(APP)) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    void commandsOfThePageMakeATokenThatIsEnough() throws IOException {
        String page = Files.readString(Path.of("../docs/coordinator-consul.md"));
        String block = page.replaceFirst("(?s).*?```sh\n(.*?)```.*", "$1");

        String printed = withTokens.shell(block, MASTER);

        try (Node node = withToken(printed.replaceFirst("(?s).*SecretID: *(\\S+).*", "$1"))) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    void wrongTokenIsPermanentAndNotShown() {
        String wrong = UUID.randomUUID().toString();
        CoordinatorException thrown = withToken(wrong).refused();

        assertPermanent(
                thrown,
                "Consul (" + withTokens.url() + ") refuses the ACL token: answers 403 (ACL not found).",
                "snowflake.consul.token");
        assertThat(thrown.getMessage()).doesNotContain(wrong);
    }

    @Test
    void missingTokenAndOneWithoutTheRightArePermanent() {
        String right = "Grant its policy key_prefix \"snowflake/\" { policy = \"write\" }";
        assertPermanent(withToken(STRANGER).refused(), "(Permission denied)", right);
        assertPermanent(
                at(withTokens.url(), "tls.ca", trusted.ca().toString()).refused(), "(Permission denied)", right);
    }

    // it named snowflake.consul.token also where the token is in a file
    @Test
    void theKeyThatIsSetIsTheOneToCheck() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), STRANGER);
        String ca = trusted.ca().toString();

        assertPermanent(
                at(withTokens.url(), "tls.ca", ca, "token-file", file.toString())
                        .refused(),
                "or check snowflake.consul.token-file and snowflake.namespace.");
        assertPermanent(
                at(withTokens.url(), "tls.ca", ca, "token", STRANGER).refused(),
                "or check snowflake.consul.token and snowflake.namespace.");
        assertPermanent(
                at(withTokens.url(), "tls.ca", ca).refused(),
                "or check snowflake.consul.token, snowflake.consul.token-file and snowflake.namespace.");
    }

    /** Consul leaves out of a list what may not be read, and says no word of it. */
    @Test
    void marksThatMayNotBeReadAreNotTakenForAbsentOnes() {
        try (Node app = withToken(APP);
                Node node = withToken(ONE_KEY)) {
            if (app.read(0, 0).meta() == null) {
                app.createMeta();
            }
            assertPermanent(
                    catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 1_023, TIMEOUT)),
                    "(Permission denied)");
        }
    }

    @Test
    void tokenIsReadAnewFromItsFile() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), STRANGER);
        try (Node node = at(withTokens.url(), "tls.ca", trusted.ca().toString(), "token-file", file.toString())) {
            assertThat(catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0)))
                    .hasMessageContaining("Permission denied");

            Files.writeString(file, APP + "\n");
            node.claimExtendAndRelease();
            Files.delete(file);

            CoordinatorException gone = catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0));
            assertThat(gone).hasMessageContaining("snowflake.consul.token-file=" + file + " is not a readable file");
            assertThat(gone.permanent()).isFalse();
        }
    }

    // ---- certificates

    @Test
    void untrustedServerIsPermanent() {
        assertPermanent(
                at(withTokens.url(), "token", APP, "tls.ca", foreign.ca().toString())
                        .refused(),
                withTokens.url(),
                "not trusted",
                "snowflake.consul.tls.ca");
        assertPermanent(at(withTokens.url(), "token", APP).refused(), "not trusted", "snowflake.consul.tls.ca");
    }

    @Test
    void plainClientAtATlsPortIsToldSo() {
        CoordinatorException thrown =
                at(withTokens.url().replace("https", "http")).refused();

        assertThat(thrown).hasMessageContaining("Check http or https, host and port in snowflake.consul.url");
    }

    @Test
    void tlsClientAtAPlainPortIsToldSo() {
        CoordinatorException thrown = at(
                        withTokens.plainUrl().replace("http", "https"),
                        "tls.ca",
                        trusted.ca().toString())
                .refused();

        assertThat(thrown).hasMessageContaining("Check http or https and the port in snowflake.consul.url");
        assertThat(thrown.permanent()).isFalse();
    }

    @Test
    void worksOverMutualTls() {
        try (Node node = at(
                mutualTls.url(),
                "tls.ca",
                trusted.ca().toString(),
                "tls.cert",
                trusted.clientCertificate().toString(),
                "tls.key",
                trusted.clientKey().toString())) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    void clientWithoutACertificateOrWithAForeignOneIsToldWhichKeysToCheck() {
        for (Node node : new Node[] {
            at(mutualTls.url(), "tls.ca", trusted.ca().toString()),
            at(
                    mutualTls.url(),
                    "tls.ca",
                    trusted.ca().toString(),
                    "tls.cert",
                    foreign.clientCertificate().toString(),
                    "tls.key",
                    foreign.clientKey().toString())
        }) {
            // With TLS 1.3 the server refuses after the client's handshake: now and then the connection ends before its
            // reason.
            try (node) {
                await(Node.PATIENCE, () -> {
                    CoordinatorException thrown = catchThrowableOfType(
                            CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
                    return thrown.permanent()
                            && thrown.getMessage().contains("refuses this client's certificate")
                            && thrown.getMessage().contains("snowflake.consul.tls.cert");
                });
            }
        }
    }

    @Test
    void replacedCertificatesAreUsedFromTheNextConnectionOn() throws IOException {
        Certificates used = new Certificates(Files.createDirectory(directory.resolve("used")));
        try (ConsulServer server = ConsulServer.builder().tls(used, true).start();
                Node node = at(
                        server.url(),
                        "tls.ca",
                        used.ca().toString(),
                        "tls.cert",
                        used.clientCertificate().toString(),
                        "tls.key",
                        used.clientKey().toString())) {
            node.claimExtendAndRelease();
            server.stop();
            Certificates others = new Certificates(Files.createDirectory(directory.resolve("others")));
            server.use(others);
            server.startAgain();
            server.awaitHealthy();
            assertThat(catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT))
                            .permanent())
                    .isTrue();

            used.become(others);

            await(Node.PATIENCE, () -> {
                try {
                    return node.coordinator.read(0, 0, Duration.ofSeconds(5)).meta() != null;
                } catch (CoordinatorException notYet) {
                    return false;
                }
            });
            node.claimExtendAndRelease();
        }
    }
}
