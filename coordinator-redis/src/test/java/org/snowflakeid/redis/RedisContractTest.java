// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class RedisContractTest extends WorkerCoordinatorContract {
    private static final RedisFixture REDIS = new RedisFixture();

    RedisContractTest() {
        super(REDIS);
    }

    @AfterAll
    static void stopServer() {
        REDIS.close();
    }
}
