// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import io.etcd.jetcd.api.AuthUserChangePasswordRequest;
import io.etcd.jetcd.api.AuthUserChangePasswordResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.EtcdServer;

/** Certificates, keys and passwords that are replaced while a process runs. */
class EtcdRotationTest {
    @TempDir
    private Path directory;

    private Certificates certificates(String name, Duration validity) throws IOException {
        return new Certificates(Files.createDirectory(directory.resolve(name)), validity);
    }

    private static Map<String, String> tls(Certificates pem) {
        return Map.of(
                "snowflake.etcd.tls.ca", pem.ca().toString(),
                "snowflake.etcd.tls.cert", pem.clientCertificate().toString(),
                "snowflake.etcd.tls.key", pem.clientKey().toString());
    }

    private static LeasedSnowflake open(EtcdServer server, Map<String, String> more) {
        Map<String, String> keys = new HashMap<>(more);
        keys.put("snowflake.etcd.endpoints", server.endpoint());
        keys.put("snowflake.window", "PT12S");
        return LeasedSnowflake.open(SnowflakeSettings.of(keys));
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = ids.status().reservedUntil().orElseThrow();
        await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusMillis(500)));
    }

    @Test
    void generatorGoesOnWithAnotherAuthorityWithoutARestart() throws Exception {
        Certificates pem = certificates("used", Duration.ofDays(1));
        Certificates next = certificates("next", Duration.ofDays(1));
        try (EtcdServer server = EtcdServer.builder().tls(pem, true).start();
                LeasedSnowflake ids = open(server, tls(pem))) {
            awaitExtension(ids);
            server.kill();
            pem.become(next);
            server.use(next);
            server.startAgain();
            server.awaitHealthy();

            awaitExtension(ids);

            assertThat(ids.nextId()).isPositive();
            await(PATIENCE, () -> ids.status().lastError().isEmpty());
        }
    }

    @Test
    void expiredCertificatesAreReplacedWithoutARestart() throws Exception {
        // A machine may need longer than that until the server runs and the process is connected.
        Duration validity = Duration.ofSeconds(20);
        while (!areReplacedAfter(validity)) {
            assertThat(validity).isLessThan(Duration.ofMinutes(5));
            validity = validity.multipliedBy(3);
        }
    }

    /** @return false if they expired before they could be used */
    private boolean areReplacedAfter(Duration validity) throws Exception {
        Instant expiry = Instant.now().plus(validity);
        Certificates pem = certificates("used-" + validity, validity);
        try (EtcdServer server = EtcdServer.builder().tls(pem, true).start();
                Node node = EtcdNode.at(server.endpoint(), tls(pem))) {
            Stored mark;
            try {
                node.createMeta();
                mark = node.claim(3);
            } catch (CoordinatorException | AssertionError failure) {
                if (Instant.now().isBefore(expiry)) {
                    throw failure;
                }
                return false;
            }
            await(validity.plus(PATIENCE), () -> Instant.now().isAfter(expiry));
            assertThat(node.meta()).isNotNull();
            server.kill();
            server.startAgain();
            server.awaitHealthy();
            await(PATIENCE, () -> !node.answers());

            Certificates next = certificates("next-" + validity, Duration.ofDays(1));
            server.kill();
            server.use(next);
            server.startAgain();
            server.awaitHealthy();
            assertThat(node.answers()).isFalse();
            pem.become(next);

            await(PATIENCE, node::answers);
            applied(node.extend(3, mark));
            return true;
        }
    }

    @Test
    void filesThatAreHalfWrittenAreReadAgainWhenTheyAreWhole() throws Exception {
        Certificates pem = certificates("used", Duration.ofDays(1));
        String key = Files.readString(pem.clientKey());
        try (EtcdServer server = EtcdServer.builder().tls(pem, true).start();
                Node node = EtcdNode.at(server.endpoint(), tls(pem))) {
            node.createMeta();
            server.kill();
            assertThat(node.answers()).isFalse();
            Files.writeString(pem.clientKey(), key.substring(0, 60));
            server.startAgain();
            server.awaitHealthy();

            assertThat(node.answers()).isFalse();
            Files.writeString(pem.clientKey(), key);

            await(PATIENCE, node::answers);
        }
    }

    @Test
    void passwordIsReadFromItsFileAtEachLogin() throws Exception {
        Path file = Files.writeString(directory.resolve("password"), "apple\n");
        try (EtcdServer server = EtcdServer.start()) {
            server.etcdctl("user", "add", "root:root");
            server.etcdctl("user", "grant-role", "root", "root");
            server.etcdctl("user", "add", "app:apple");
            server.etcdctl("role", "add", "app");
            server.etcdctl("role", "grant-permission", "app", "readwrite", "--prefix=true", "/snowflake/");
            server.etcdctl("user", "grant-role", "app", "app");
            server.etcdctl("auth", "enable");
            Map<String, String> keys =
                    Map.of("snowflake.etcd.user", "app", "snowflake.etcd.password-file", file.toString());
            try (LeasedSnowflake ids = open(server, keys)) {
                Files.writeString(file, "pear\n");
                awaitExtension(ids);
                changePassword(server, "pear");

                awaitExtension(ids);

                assertThat(ids.nextId()).isPositive();
                await(PATIENCE, () -> ids.status().lastError().isEmpty());
            }
        }
    }

    private static void changePassword(EtcdServer server, String password) throws EtcdFailure {
        Map<String, String> root = Map.of(
                "snowflake.etcd.endpoints", server.endpoint(),
                "snowflake.etcd.user", "root",
                "snowflake.etcd.password", "root");
        try (EtcdConnection connection = new EtcdConnection(
                new EtcdSettings(new CoordinatorConfig("orders", "snowflake", TIMEOUT, root::get)))) {
            AuthUserChangePasswordRequest request = AuthUserChangePasswordRequest.newBuilder()
                    .setName("app")
                    .setPassword(password)
                    .build();
            assertThat(connection
                            .call(
                                    connection.deadline(TIMEOUT),
                                    EtcdMethods.call(
                                            "Auth/UserChangePassword",
                                            AuthUserChangePasswordRequest.getDefaultInstance(),
                                            AuthUserChangePasswordResponse.getDefaultInstance()),
                                    request)
                            .hasHeader())
                    .isTrue();
        }
    }
}
