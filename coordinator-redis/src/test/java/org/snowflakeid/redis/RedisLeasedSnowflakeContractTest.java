// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.tck.LeasedSnowflakeContract;
import org.snowflakeid.testservers.ProxiedServer;

@Tag("nightly")
class RedisLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final ProxiedServer REDIS = RedisFixture.start();

    RedisLeasedSnowflakeContractTest() {
        super(REDIS);
    }

    @AfterAll
    static void stopServer() {
        REDIS.close();
    }
}
