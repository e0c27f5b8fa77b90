// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class NacosContractTest extends WorkerCoordinatorContract {
    private static final NacosFixture NACOS = new NacosFixture();

    NacosContractTest() {
        super(NACOS);
    }

    @AfterAll
    static void stopServer() {
        NACOS.close();
    }
}
