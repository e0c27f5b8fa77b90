// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.LogLines;

class RedisSettingsTest {
    private static final String REDIS = "redis://localhost:6379";
    private static final String REDISS = "rediss://localhost:6379";

    @TempDir
    private Path directory;

    private static RedisSettings settings(Map<String, String> values) {
        return new RedisSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), values::get));
    }

    private static List<String> problems(Map<String, String> values) {
        return catchThrowableOfType(InvalidSettingsException.class, () -> settings(values))
                .problems();
    }

    @Test
    void wantsAUri() {
        assertThat(problems(Map.of()))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.redis.uri is not set.")
                .contains("redis://localhost:6379");
    }

    @Test
    void takesAUriAndAddsThePort() {
        assertThat(server("redis://a:1/")).isEqualTo(new RedisSettings.Server(false, "a", 1, 0));
        assertThat(server(" REDIS://a ")).isEqualTo(new RedisSettings.Server(false, "a", 6379, 0));
        assertThat(server("rediss://[::1]:3/15")).isEqualTo(new RedisSettings.Server(true, "::1", 3, 15));
        assertThat(server("rediss://[::1]:3/15")).hasToString("rediss://[::1]:3/15");
    }

    /** As Compose makes them; java.net.URI takes no such name for a host's. */
    @Test
    void takesNamesOfHostsWithAnUnderscore() {
        assertThat(server("redis://my_redis:1/2")).isEqualTo(new RedisSettings.Server(false, "my_redis", 1, 2));
        assertThat(server("redis://my_redis_1.a-b_"))
                .isEqualTo(new RedisSettings.Server(false, "my_redis_1.a-b_", 6379, 0));
        assertThat(server("redis://my_redis:1/2")).hasToString("redis://my_redis:1/2");
        assertThat(problems(Map.of(RedisSettings.URI.name(), "rediss://my_redis:6379")))
                .singleElement()
                .asString()
                .contains("snowflake.redis.uri=rediss://my_redis:6379 has '_' in the name of its host");
    }

    private static RedisSettings.Server server(String uri) {
        return settings(Map.of(RedisSettings.URI.name(), uri)).server();
    }

    @Test
    void refusesWhatIsNoDurability() {
        assertThat(problems(Map.of(RedisSettings.URI.name(), REDIS, RedisSettings.DURABILITY.name(), "never")))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.redis.durability=never")
                .contains("require", "warn");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:6379",
                "localhost",
                "http://localhost",
                "unix:///var/run/redis.sock",
                "redis://",
                "redis://a:6379,",
                "redis://a b:6379",
                "redis://a:99999",
                "redis://a_b:99999",
                "redis://a_b:0",
                "redis://a_b:6379,b:6379",
                "redis://a_b:6379?password=secret",
                "redis://a:6379/v3",
                "redis://a:6379/-1",
                "redis://a:6379/1/2",
                "redis://a:6379,b:6379",
                "redis://a:6379?password=secret",
                "redis://a:6379#secret",
                "redis://a:6379?password=se,cret",
                "redis://a:6379;password=secret"
            })
    void refusesWhatIsNotTheUrlOfASingleServer(String value) {
        assertThat(problems(Map.of(RedisSettings.URI.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.redis.uri=")
                .contains("is not the URL of a single Redis server")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://user:hunter2@a:6379",
                "redis://user:hunter2@a_b:6379",
                "redis://user:hunter2/x@a:6379",
                "redis://user:12/hunter2@a:6379",
                "redis://user:12,hunter2@a:6379",
                "redis://b:6379,redis://user:hunter2@a:6379",
                "redis://user:hunter2@a:6379?x=1",
                "redis://a:6379?password=hunter2@b",
                "user:hunter2@a:6379",
                "user:12,hunter2@a:6379",
                "hunter2@a",
                "hunter2@a_b"
            })
    void refusesCredentialsInTheUriAndDoesNotShowThem(String value) {
        assertThat(problems(Map.of(RedisSettings.URI.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.redis.uri=")
                .contains("Set snowflake.redis.user and snowflake.redis.password instead.")
                .doesNotContain("hunter2", "user:");
    }

    @Test
    void refusesAUserWithoutAPassword() {
        assertThat(problems(Map.of(RedisSettings.URI.name(), REDIS, RedisSettings.USER.name(), "app")))
                .singleElement()
                .asString()
                .contains("snowflake.redis.user=app")
                .contains("Set snowflake.redis.password");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "2s", "PT0.01S", "PT2M", "-PT1S"})
    void refusesWhatIsNoCallTimeout(String value) {
        assertThat(problems(Map.of(RedisSettings.URI.name(), REDIS, RedisSettings.CALL_TIMEOUT.name(), value)))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.redis.call-timeout=" + value);
    }

    @Test
    void callTimeoutIsAnUpperBound() {
        RedisSettings settings =
                settings(Map.of(RedisSettings.URI.name(), REDIS, RedisSettings.CALL_TIMEOUT.name(), "PT2S"));

        assertThat(settings.callTimeout().of(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.callTimeout().of(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void warnsOfAPasswordThatIsSentInTheOpen() {
        assertThat(warnings(
                        "redis-plain",
                        Map.of(
                                RedisSettings.URI.name(), REDIS,
                                RedisSettings.USER.name(), "app",
                                RedisSettings.PASSWORD.name(), "secret")))
                .containsExactly(
                        "WARNING snowflake 'redis-plain': snowflake.redis.uri is not encrypted, and the"
                                + " password is sent there: anyone who sees the network's traffic can read it. Write rediss://.");
        assertThat(warnings(
                        "redis-kept",
                        Map.of(
                                RedisSettings.URI.name(), REDISS,
                                RedisSettings.USER.name(), "app",
                                RedisSettings.PASSWORD.name(), "secret")))
                .isEmpty();
        assertThat(warnings("redis-anonymous", Map.of(RedisSettings.URI.name(), REDIS)))
                .isEmpty();
    }

    private static List<String> warnings(String generator, Map<String, String> values) {
        LogLines.listen();
        new RedisSettings(new CoordinatorConfig(generator, "snowflake", Duration.ofSeconds(60), values::get));
        return LogLines.of(generator);
    }

    @Test
    void accessIsTheSameWhereServersUserAndFilesAre() throws IOException {
        Certificates pem = new Certificates(Files.createDirectory(directory.resolve("one")));
        Certificates others = new Certificates(Files.createDirectory(directory.resolve("others")));
        Map<String, String> plain = Map.of(RedisSettings.URI.name(), REDIS);
        Map<String, String> user = with(plain, RedisSettings.USER, "app", RedisSettings.PASSWORD, "hunter2");
        Map<String, String> encrypted = with(Map.of(), RedisSettings.URI, REDISS, RedisSettings.TLS.ca(), pem.ca());
        Map<String, String> mutual = with(
                encrypted, RedisSettings.TLS.cert(), pem.clientCertificate(), RedisSettings.TLS.key(), pem.clientKey());
        List<Map<String, String>> different = List.of(
                plain,
                Map.of(RedisSettings.URI.name(), "redis://elsewhere:6379"),
                user,
                with(user, RedisSettings.USER, "app", RedisSettings.PASSWORD, "hunter3"),
                with(user, RedisSettings.USER, "other", RedisSettings.PASSWORD, "hunter2"),
                Map.of(RedisSettings.URI.name(), REDISS),
                encrypted,
                with(encrypted, RedisSettings.TLS.ca(), others.ca(), RedisSettings.TLS.ca(), others.ca()),
                with(plain, RedisSettings.DURABILITY, "warn", RedisSettings.URI, REDIS),
                with(plain, RedisSettings.URI, REDIS + "/1", RedisSettings.URI, REDIS + "/1"),
                mutual);

        for (int i = 0; i < different.size(); i++) {
            RedisSettings.Access access = access(different.get(i));
            for (int j = 0; j < different.size(); j++) {
                assertThat(access.equals(access(different.get(j))))
                        .as("%s and %s", different.get(i), different.get(j))
                        .isEqualTo(i == j);
            }
            assertThat(access).hasSameHashCodeAs(access(different.get(i)));
            assertThat(access.toString()).doesNotContain("hunter");
        }
        assertThat(access(with(plain, RedisSettings.CALL_TIMEOUT, "PT2S", RedisSettings.URI, REDIS)))
                .isEqualTo(access(plain));
        RedisSettings.Access before = access(encrypted);
        Files.copy(others.ca(), pem.ca(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(access(encrypted)).isEqualTo(before);
    }

    private static RedisSettings.Access access(Map<String, String> keys) {
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
    void declaresTheKeysThatItReads() {
        Set<String> read = new TreeSet<>();
        CoordinatorConfig config = new CoordinatorConfig("default", "snowflake", Duration.ofSeconds(60), key -> {
            read.add(key);
            return key.endsWith("uri") ? REDIS : null;
        });
        RedisCoordinatorProvider provider = new RedisCoordinatorProvider();

        provider.open(config, () -> {}).close();

        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }

    // the nearest by its letters was snowflake.redis.tls.ca
    @ParameterizedTest
    @CsvSource(textBlock = """
                    snowflake.redis.host           , What is needed there is snowflake.redis.uri.
                    snowflake.redis.sentinels      , What is needed there is snowflake.redis.uri.
                    snowflake.redis                , What is needed there is snowflake.redis.uri.
                    SNOWFLAKE_REDIS_HOST           , What is needed there is SNOWFLAKE_REDIS_URI.
                    snowflake.redis.url            , Misspelt? The nearest is snowflake.redis.uri.
                    snowflake.redis.pass           , Misspelt? The nearest is snowflake.redis.password.
                    snowflake.redis.username       , Misspelt? The nearest is snowflake.redis.user.
                    snowflake.redis.cert           , Misspelt? The nearest is snowflake.redis.tls.cert.
                    snowflake.redis.timeout        , Misspelt? The nearest is snowflake.redis.call-timeout.
                    SNOWFLAKE_REDIS_TIMEOUT        , Misspelt? The nearest is SNOWFLAKE_REDIS_CALL_TIMEOUT.
                    """)
    void aKeyThatIsNearNoneIsAnsweredWithTheOneThatIsNeeded(String name, String hint) {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of(name, "localhost")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("snowflake: " + name + " is no key of Snowflake ID and would have no effect. " + hint
                        + " Correct it, or name it in snowflake.ignore if other software reads it.");
    }

    @Test
    void namesAllProblemsAtOnce() {
        assertThat(problems(Map.of(
                        RedisSettings.URI.name(), REDIS,
                        RedisSettings.USER.name(), "app",
                        RedisSettings.TLS.key().name(), "/nowhere",
                        RedisSettings.CALL_TIMEOUT.name(), "soon")))
                .hasSize(5);
    }
}
