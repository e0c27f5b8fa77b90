// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.LeasedSnowflakeContract;

class RedisLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final RedisFixture REDIS = new RedisFixture();

    RedisLeasedSnowflakeContractTest() {
        super(REDIS);
    }

    @AfterAll
    static void stopServer() {
        REDIS.close();
    }
}
