// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import org.snowflakeid.tck.WorkerCoordinatorContract;

class NacosContractTest extends WorkerCoordinatorContract {
    NacosContractTest() {
        super(NacosFixture.PROXIED);
    }
}
