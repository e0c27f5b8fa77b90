// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class ZooKeeperContractTest extends WorkerCoordinatorContract {
    private static final ZooKeeperFixture ZOOKEEPER = new ZooKeeperFixture();

    ZooKeeperContractTest() {
        super(ZOOKEEPER);
    }

    @AfterAll
    static void stopServer() {
        ZOOKEEPER.close();
    }
}
