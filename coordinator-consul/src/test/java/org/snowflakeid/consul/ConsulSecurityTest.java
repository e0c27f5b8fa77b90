// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.tck.MutualTlsContract;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SecretContract;
import org.snowflakeid.tck.TlsContract;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.TcpProxy;

/** ACL tokens and certificates: what works, and how the rest is refused. */
class ConsulSecurityTest {
    private static final String MASTER = UUID.randomUUID().toString();
    private static final String APP = UUID.randomUUID().toString();
    private static final String ONE_KEY = UUID.randomUUID().toString();
    private static final String STRANGER = UUID.randomUUID().toString();
    private static final String WRONG = UUID.randomUUID().toString();

    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static ConsulServer withTokens;
    private static ConsulServer mutualTls;
    private static TcpProxy otherHost;

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
        otherHost = TcpProxy.to(withTokens.clientPort(), TlsContract.OTHER_HOST);
    }

    private static void token(String secret, String name, String rules) {
        withTokens.consul("acl", "policy", "create", "-token=" + MASTER, "-name=" + name, "-rules=" + rules);
        withTokens.consul("acl", "token", "create", "-token=" + MASTER, "-policy-name=" + name, "-secret=" + secret);
    }

    @AfterAll
    static void stop() {
        withTokens.close();
        mutualTls.close();
        otherHost.close();
    }

    @Nested
    class Token extends SecretContract {

        Token() {
            super("consul", "snowflake.consul.token", "snowflake.consul.token-file", APP, WRONG);
        }

        @Override
        protected Map<String, String> settings() {
            return Map.of(
                    "snowflake.consul.url",
                    withTokens.url(),
                    "snowflake.consul.tls.ca",
                    trusted.ca().toString());
        }

        @Override
        protected String saidOfARefusal() {
            return "Consul (" + withTokens.url() + ") refuses the ACL token: answers 403 (ACL not found).";
        }

        @Override
        protected Map<String, String> anonymous() {
            return settings();
        }

        @Override
        protected String saidToAnAnonymousClient() {
            return "or check snowflake.consul.token, snowflake.consul.token-file and snowflake.namespace.";
        }
    }

    @Nested
    class Tls extends MutualTlsContract {

        Tls() {
            super(
                    "consul",
                    "snowflake.consul.url",
                    new Ports(
                            withTokens.clientPort(),
                            otherHost.port(),
                            URI.create(withTokens.plainUrl()).getPort()),
                    mutualTls.clientPort(),
                    trusted.settings("snowflake.consul.tls"),
                    foreign.settings("snowflake.consul.tls"));
        }

        @Override
        protected Map<String, String> at(boolean encrypted, String host, int port) {
            return Map.of(
                    "snowflake.consul.url",
                    (encrypted ? "https://" : "http://") + host + ":" + port,
                    "snowflake.consul.token",
                    APP);
        }

        @Override
        protected void restart(boolean byForeign) {
            mutualTls.stop();
            mutualTls.use(byForeign ? foreign : trusted);
            mutualTls.startAgain();
            mutualTls.awaitHealthy();
        }

        @Override
        protected String saidToAPlainClient() {
            return "Check http or https, host and port in snowflake.consul.url";
        }

        @Override
        protected String saidOfAPlainServer() {
            return "Check http or https and the port in snowflake.consul.url";
        }
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
    void commandsOfThePageMakeATokenThatIsEnough() throws IOException {
        String page = Files.readString(Path.of("../docs/coordinator-consul.md"));
        String block = page.replaceFirst("(?s).*?```sh\n(.*?)```.*", "$1");

        String printed = withTokens.shell(block, MASTER);

        try (Node node = withToken(printed.replaceFirst("(?s).*SecretID: *(\\S+).*", "$1"))) {
            node.claimExtendAndRelease();
        }
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
    void tokenFileThatIsGoneIsSaidToBeSo() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), APP);
        try (Node node = at(withTokens.url(), "tls.ca", trusted.ca().toString(), "token-file", file.toString())) {
            Files.delete(file);

            CoordinatorException gone = catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0));
            assertThat(gone).hasMessageContaining("snowflake.consul.token-file=" + file + " is not a readable file");
            assertThat(gone.permanent()).isFalse();
        }
    }
}
