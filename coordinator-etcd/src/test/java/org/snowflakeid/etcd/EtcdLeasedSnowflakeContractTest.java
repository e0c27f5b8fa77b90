// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.LeasedSnowflakeContract;
import org.snowflakeid.testservers.ProxiedServer;

class EtcdLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final ProxiedServer ETCD = EtcdFixture.start();

    EtcdLeasedSnowflakeContractTest() {
        super(ETCD);
    }

    @AfterAll
    static void stopServer() {
        ETCD.close();
    }
}
