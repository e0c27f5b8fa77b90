// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.NacosServer;

/** Users and certificates: what works, and how the rest is refused. */
class NacosSecurityTest {
    @TempDir
    private static Path directory;

    private static Certificates trusted;
    private static Certificates foreign;
    private static NacosServer withUsers;
    private static NacosServer mutualTls;

    @BeforeAll
    static void start() throws Exception {
        trusted = new Certificates(Files.createDirectory(directory.resolve("trusted")));
        foreign = new Certificates(Files.createDirectory(directory.resolve("foreign")));
        // Logins last for ten seconds.
        withUsers = NacosServer.builder()
                .users()
                .configure("nacos.core.auth.plugin.nacos.token.expire.seconds", "10")
                .start();
        mutualTls = NacosServer.builder().tls(trusted, true).start();
        String unused = withUsers.post("/v3/auth/user/admin", "password=administrator", "");
        asAdministrator("/v3/auth/user", "username=app&password=apple");
        asAdministrator("/v3/auth/user", "username=stranger&password=strange");
        asAdministrator("/v3/auth/role", "role=app-role&username=app");
        asAdministrator("/v3/auth/permission", "role=app-role&resource=snowflake:*:*&action=rw");
        await(Node.PATIENCE, () -> {
            try (Node node = user("app", "apple")) {
                return node.answers();
            }
        });
    }

    /** Tries until it works: Nacos reloads users and roles every 15 seconds. */
    private static void asAdministrator(String path, String form) {
        await(Node.PATIENCE, () -> {
            try {
                String login = withUsers.post("/v3/auth/user/login", "username=nacos&password=administrator", "");
                String token = login.replaceFirst(".*\"accessToken\":\"([^\"]*)\".*", "$1");
                return withUsers.post(path, form, token).contains("\"code\":0");
            } catch (UncheckedIOException notYet) {
                return false;
            }
        });
    }

    @AfterAll
    static void stop() {
        withUsers.close();
        mutualTls.close();
    }

    private static Node at(String address, String... more) {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < more.length; i += 2) {
            keys.put("snowflake.nacos." + more[i], more[i + 1]);
        }
        return NacosNode.at(address, keys);
    }

    private static Node user(String name, String password) {
        return at(withUsers.address(), "user", name, "password", password);
    }

    private static CoordinatorException refused(Node node) {
        try (node) {
            CoordinatorException read =
                    catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
            CoordinatorException all =
                    catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 1_023, TIMEOUT));
            assertThat(read).isNotNull();
            assertThat(all).isNotNull();
            return read;
        }
    }

    @Test
    void worksWithAUserWhoMayWriteTheNacosNamespaceAndNothingElseAlsoAfterTheLoginEnded() {
        try (Node node = user("app", "apple")) {
            node.claimExtendAndRelease();
            long later = System.nanoTime() + 12_000_000_000L;
            await(Node.PATIENCE, () -> System.nanoTime() > later);

            node.claimExtendAndRelease();
        }
    }

    @Test
    void unknownUserIsPermanent() {
        assertPermanent(
                refused(user("unknown", "pear")),
                "Nacos (http://" + withUsers.address() + "/nacos) refuses user 'unknown': answers 403",
                "snowflake.nacos.user");
    }

    /** Nacos answers with an error of its own. */
    @Test
    void wrongPasswordIsSaidToBePossibleAndNotShown() {
        assertThat(refused(user("app", "pear")).getMessage())
                .contains("Nacos (http://" + withUsers.address() + "/nacos) refuses user 'app': answers ")
                .contains("Check snowflake.nacos.user and its password.")
                .doesNotContain("pear");
    }

    @Test
    void missingUserIsPermanent() {
        assertPermanent(
                refused(at(withUsers.address())),
                "wants a user",
                "Set snowflake.nacos.user and snowflake.nacos.password.");
    }

    @Test
    void missingRightIsPermanent() {
        String remedy = "Grant one of its roles the permission rw on ";
        assertPermanent(
                refused(user("stranger", "strange")),
                "forbids user 'stranger' the namespace",
                remedy + "snowflake:*:*");
        assertPermanent(
                refused(at(withUsers.address(), "user", "app", "password", "apple", "nacos-namespace", "elsewhere")),
                "forbids user 'app' the namespace",
                remedy + "elsewhere:*:*");
    }

    @Test
    void passwordIsReadAnewFromItsFile() throws Exception {
        Path file = Files.writeString(directory.resolve("password"), "pear");
        try (Node node = at(withUsers.address(), "user", "app", "password-file", file.toString())) {
            assertThat(catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0)))
                    .hasMessageContaining("refuses user 'app'");

            Files.writeString(file, "apple\n");
            node.claimExtendAndRelease();
        }
    }

    @Test
    void worksOverMutualTls() {
        try (Node node = at(
                mutualTls.address(),
                "tls.ca",
                trusted.ca().toString(),
                "tls.cert",
                trusted.clientCertificate().toString(),
                "tls.key",
                trusted.clientKey().toString())) {
            await(Node.PATIENCE, node::answers);
            node.claimExtendAndRelease();
        }
    }

    @Test
    void untrustedServerIsPermanent() {
        assertPermanent(
                refused(at(mutualTls.address(), "tls.ca", foreign.ca().toString())),
                mutualTls.address(),
                "not trusted",
                "snowflake.nacos.tls.ca");
    }

    @Test
    void clientWithoutACertificateIsToldWhichKeysToCheck() {
        // With TLS 1.3 the server refuses after the client's handshake: now and then the connection ends before its
        // reason.
        try (Node node = at(mutualTls.address(), "tls.ca", trusted.ca().toString())) {
            await(Node.PATIENCE, () -> {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));
                return thrown.permanent() && thrown.getMessage().contains("snowflake.nacos.tls.cert");
            });
        }
    }

    @Test
    void plainClientAtATlsPortAndTlsClientAtAPlainOneAreToldSo() throws IOException {
        assertThat(refused(at(mutualTls.address().replace("https://", ""))))
                .hasMessageContaining("Check http or https, host and port in snowflake.nacos.server-addr");
        assertThat(refused(at(
                        "https://" + withUsers.address(), "tls.ca", trusted.ca().toString())))
                .hasMessageContaining("Check http or https and the port in snowflake.nacos.server-addr");
    }
}
