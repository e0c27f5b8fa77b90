// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class EtcdContractTest extends WorkerCoordinatorContract {
    private static final EtcdFixture ETCD = new EtcdFixture();

    EtcdContractTest() {
        super(ETCD);
    }

    @AfterAll
    static void stopServer() {
        ETCD.close();
    }
}
