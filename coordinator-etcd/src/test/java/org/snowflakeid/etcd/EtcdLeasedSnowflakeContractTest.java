// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.LeasedSnowflakeContract;

class EtcdLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final EtcdFixture ETCD = new EtcdFixture();

    EtcdLeasedSnowflakeContractTest() {
        super(ETCD);
    }

    @AfterAll
    static void stopServer() {
        ETCD.close();
    }
}
