// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.spi.CoordinatorConfig;
import redis.clients.jedis.exceptions.JedisDataException;

/** Answers of versions that other tests don't run on. */
class RedisFailureTest {

    private static final RedisSettings SETTINGS = new RedisSettings(new CoordinatorConfig(
            "orders", "snowflake", Duration.ofSeconds(60), Map.of("snowflake.redis.uri", "redis://localhost")::get));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                // Redis 7.2 and newer, Valkey
                "ERR ACL failure in script: User app has no permissions to run the 'set' command"
                        + "| forbids the default user what namespace 'snowflake' needs",
                // Redis 6.2
                "ERR Error running script (call to f_05941a): @user_script:1: WRONGTYPE Operation against a key"
                        + "| has something else at a key of namespace 'snowflake': WRONGTYPE Operation",
                "ERR Error running script (call to f_05941a): @user_script: 1: The user executing the script can't run"
                        + " this command or subcommand| forbids the default user what namespace 'snowflake' needs"
            })
    void whatWaitingDoesNotMendIsPermanentAndChangedNothing(String answer, String complaint) {
        RedisFailure failure = RedisFailure.answered(SETTINGS, new JedisDataException(answer));

        assertThat(failure.exception()).hasMessageContaining(complaint);
        assertThat(failure.exception().permanent()).isTrue();
        assertThat(failure.nothingChanged()).isTrue();
    }
}
