// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.LeasedSnowflakeContract;

class ZooKeeperLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final ZooKeeperFixture ZOOKEEPER = new ZooKeeperFixture();

    ZooKeeperLeasedSnowflakeContractTest() {
        super(ZOOKEEPER);
    }

    @AfterAll
    static void stopServer() {
        ZOOKEEPER.close();
    }
}
