// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class KubernetesContractTest extends WorkerCoordinatorContract {
    private static final KubernetesFixture KUBERNETES = new KubernetesFixture();

    KubernetesContractTest() {
        super(KUBERNETES);
    }

    @AfterAll
    static void stopServer() {
        KUBERNETES.close();
    }
}
