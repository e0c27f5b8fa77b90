// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class ConsulContractTest extends WorkerCoordinatorContract {
    private static final ConsulFixture CONSUL = new ConsulFixture();

    ConsulContractTest() {
        super(CONSUL);
    }

    @AfterAll
    static void stopServer() {
        CONSUL.close();
    }
}
