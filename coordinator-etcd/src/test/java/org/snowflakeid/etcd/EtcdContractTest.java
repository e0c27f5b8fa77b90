// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;
import org.snowflakeid.testservers.ProxiedServer;

class EtcdContractTest extends WorkerCoordinatorContract {
    private static final ProxiedServer ETCD = EtcdFixture.start();

    EtcdContractTest() {
        super(ETCD);
    }

    @AfterAll
    static void stopServer() {
        ETCD.close();
    }
}
