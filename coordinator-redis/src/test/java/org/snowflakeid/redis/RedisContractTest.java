// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;
import org.snowflakeid.testservers.ProxiedServer;

class RedisContractTest extends WorkerCoordinatorContract {
    private static final ProxiedServer REDIS = RedisFixture.start();

    RedisContractTest() {
        super(REDIS);
    }

    @AfterAll
    static void stopServer() {
        REDIS.close();
    }
}
