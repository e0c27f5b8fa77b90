// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;
import org.snowflakeid.testservers.ProxiedServer;

class ConsulContractTest extends WorkerCoordinatorContract {
    private static final ProxiedServer CONSUL = ConsulFixture.start();

    ConsulContractTest() {
        super(CONSUL);
    }

    @AfterAll
    static void stopServer() {
        CONSUL.close();
    }
}
