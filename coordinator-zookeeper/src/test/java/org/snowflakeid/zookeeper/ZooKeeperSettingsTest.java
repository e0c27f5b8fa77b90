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
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.Tls;
import org.snowflakeid.testservers.LogLines;

class ZooKeeperSettingsTest {
    private static final String SERVER = "localhost:2181";

    @TempDir
    private Path directory;

    private static ZooKeeperSettings settings(Map<String, String> values) {
        return new ZooKeeperSettings(
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
        ZooKeeperSettings settings = settings(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), " a:1 , b,[::1]:3 "));

        assertThat(settings.connectString()).isEqualTo("a:1,b:2181,[::1]:3");
        assertThat(settings.root()).isEqualTo("/snowflake/orders");
        assertThat(settings.tls()).isFalse();
    }

    /** As Compose makes them; java.net.URI takes no such name for a host's. */
    @Test
    void takesNamesOfHostsWithAnUnderscore() {
        String key = ZooKeeperSettings.CONNECT_STRING.name();

        assertThat(settings(Map.of(key, "zk_1:1,my_zk/ids")).connectString()).isEqualTo("zk_1:1,my_zk:2181");
        assertThat(problems(Map.of(key, "zk_1:1", ZooKeeperSettings.TLS_ENABLED.name(), "true")))
                .singleElement()
                .asString()
                .contains("snowflake.zookeeper.connect-string=zk_1:1 has '_' in the name of a host");
    }

    @Test
    void putsEverythingBelowThePathOfTheConnectString() {
        assertThat(settings(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), "a:1,b:2/teams/ids"))
                        .root())
                .isEqualTo("/teams/ids/snowflake/orders");
        assertThat(settings(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), "a:1/"))
                        .root())
                .isEqualTo("/snowflake/orders");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a:2181,", "a_b:99999", "a_b:", "a b:2181", "a:99999", "a:0", "a:", "http://a:2181", ",a", "/ids"
            })
    void refusesWhatIsNoServer(String value) {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.connect-string=" + value)
                .contains("is not a server", "host:2181");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "user:hunter2@a:2181",
                "b_c:2181,user:hunter2@a:2181",
                "hunter2@a:2181",
                "user:hunter2/x@a:2181/ids",
                "user:12/hunter2@a:2181",
                "user:12,hunter2@a:2181,b:2181",
                "b:2181,user:hunter2@a:2181"
            })
    void refusesCredentialsInTheConnectStringAndDoesNotShowThem(String value) {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.connect-string=***@a:2181")
                .contains("Set snowflake.zookeeper.digest instead.")
                .doesNotContain("hunter2", "user:");
    }

    @Test
    void declaresTheKeysThatItReads() {
        Set<String> read = new TreeSet<>();
        CoordinatorConfig config = new CoordinatorConfig("default", "snowflake", Duration.ofSeconds(60), key -> {
            read.add(key);
            return key.endsWith("connect-string") ? SERVER : null;
        });
        ZooKeeperCoordinatorProvider provider = new ZooKeeperCoordinatorProvider();

        provider.open(config, () -> {}).close();

        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:2181/ids/", "a:2181//ids", "a:2181/./ids"})
    void refusesWhatIsNoPath(String value) {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.connect-string=" + value)
                .contains("ends in a path that can't be used", "Write it as /path");
    }

    // only the first server was used, and the rest of the text was the name of a namespace of its own
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a:2181/ids,b:2181/ids",
                "a/ids,b/ids",
                "a:2181/ids/,b:2181",
                "a:2181/,b:2181",
                "a/ids:2181",
                "a/ids:2181/x"
            })
    void refusesAPathThatIsFollowedByAServer(String value) {
        assertThat(problems(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.connect-string=" + value)
                .contains("Write the path once, after the last server, as in zk-1:2181,zk-2:2181/ids.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ids:prod", "/ids:8a/x", "/a:b/c:d", "/ids:"})
    void aPathMayHaveAColon(String path) {
        assertThat(settings(Map.of(ZooKeeperSettings.CONNECT_STRING.name(), "zk-1:2181" + path))
                        .root())
                .isEqualTo(path + "/snowflake/orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hunter2", ":hunter2", "hunter2:"})
    void refusesADigestThatIsNotUserAndPasswordAndDoesNotShowIt(String value) {
        assertThat(problems(Map.of(
                        ZooKeeperSettings.CONNECT_STRING.name(), SERVER, ZooKeeperSettings.DIGEST.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.digest=")
                .contains("user:password")
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hunter2", ":hunter2", "hunter2:", "hunter2:hunter2\n\n", "hunter2:a\nhunter2:b"})
    void refusesADigestFileThatHoldsSomethingElseAndDoesNotShowIt(String content) throws IOException {
        Path file = Files.writeString(directory.resolve("digest"), content);

        assertThat(problems(Map.of(
                        ZooKeeperSettings.CONNECT_STRING.name(),
                        SERVER,
                        ZooKeeperSettings.PASSWORD_FILE.name(),
                        file.toString())))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.password-file=" + file)
                .contains("user:password")
                .doesNotContain("hunter2");
    }

    private static Tls files(ZooKeeperSettings settings) {
        return settings.encryption()
                .read(new SettingsReader(new CoordinatorConfig(
                        "orders",
                        "snowflake/orders",
                        Duration.ofSeconds(60),
                        settings.encryption().named()::get)));
    }

    @Test
    void warnsOfADigestThatIsSentInTheOpen() {
        assertThat(warnings(
                        "zookeeper-plain",
                        Map.of(
                                ZooKeeperSettings.CONNECT_STRING.name(),
                                SERVER,
                                ZooKeeperSettings.DIGEST.name(),
                                "app:secret")))
                .containsExactly("WARNING snowflake 'zookeeper-plain': snowflake.zookeeper.digest is sent over"
                        + " connections that are not encrypted: anyone who sees the network's traffic can read the"
                        + " password. Set snowflake.zookeeper.tls.enabled=true.");
        assertThat(warnings(
                        "zookeeper-kept",
                        Map.of(
                                ZooKeeperSettings.CONNECT_STRING.name(), SERVER,
                                ZooKeeperSettings.TLS_ENABLED.name(), "true",
                                ZooKeeperSettings.DIGEST.name(), "app:secret")))
                .isEmpty();
        assertThat(warnings("zookeeper-anonymous", Map.of(ZooKeeperSettings.CONNECT_STRING.name(), SERVER)))
                .isEmpty();
    }

    private static List<String> warnings(String generator, Map<String, String> values) {
        LogLines.listen();
        new ZooKeeperSettings(new CoordinatorConfig(generator, "snowflake", Duration.ofSeconds(60), values::get));
        return LogLines.of(generator);
    }

    @Test
    void trustsTheAuthoritiesOfTheJvmUnlessOthersAreNamed() {
        ZooKeeperSettings settings = settings(
                Map.of(ZooKeeperSettings.CONNECT_STRING.name(), SERVER, ZooKeeperSettings.TLS_ENABLED.name(), "true"));

        assertThat(settings.tls()).isTrue();
        assertThat(files(settings).trusted()).isEmpty();
    }

    @Test
    void refusesTlsThatIsNeitherOnNorOff() {
        assertThat(problems(Map.of(
                        ZooKeeperSettings.CONNECT_STRING.name(), SERVER, ZooKeeperSettings.TLS_ENABLED.name(), "yes")))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.zookeeper.tls.enabled=yes is neither true nor false");
    }

    @Test
    void namesAllProblemsAtOnce() {
        assertThat(problems(Map.of(
                        ZooKeeperSettings.CONNECT_STRING.name(), "a:b",
                        ZooKeeperSettings.DIGEST.name(), "app",
                        ZooKeeperSettings.TLS_ENABLED.name(), "off",
                        ZooKeeperSettings.TLS.key().name(), "/nowhere")))
                .hasSize(5);
    }
}
