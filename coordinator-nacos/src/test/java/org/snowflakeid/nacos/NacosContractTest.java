// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;
import org.snowflakeid.testservers.ProxiedServer;

class NacosContractTest extends WorkerCoordinatorContract {
    private static final ProxiedServer NACOS = NacosFixture.start();

    NacosContractTest() {
        super(NACOS);
    }

    @AfterAll
    static void stopServer() {
        NACOS.close();
    }
}
