// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

class DisasterOnRedisTest extends DisasterContract {

    private static FragileCoordinator edited;

    DisasterOnRedisTest() {
        super("redis", FragileRedis::new, Duration.ZERO);
    }

    @BeforeAll
    static void startServer() {
        edited = new FragileRedis();
    }

    @AfterAll
    static void stopServer() {
        edited.close();
    }

    @Override
    FragileCoordinator edited() {
        return edited;
    }

    @Test
    void statusShowsWhoHoldsWhat() {
        try (FragileRedis server = new FragileRedis();
                LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(server.settings()))) {
            Session session = Session.run("status", "-Dsnowflake.redis.uri=redis://127.0.0.1:" + server.port());

            assertThat(session.exitCode()).as(session.all()).isZero();
            assertThat(session.out())
                    .contains("snowflake at redis (redis://127.0.0.1:" + server.port() + ")", "1 held", "agrees");
            assertThat(ids.nextId()).isPositive();
        }
    }
}
