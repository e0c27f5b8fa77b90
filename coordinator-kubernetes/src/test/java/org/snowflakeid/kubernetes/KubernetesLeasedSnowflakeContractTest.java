// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.tck.LeasedSnowflakeContract;

@Tag("nightly")
class KubernetesLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final KubernetesFixture KUBERNETES = new KubernetesFixture();

    KubernetesLeasedSnowflakeContractTest() {
        super(KUBERNETES);
    }

    @AfterAll
    static void stopServer() {
        KUBERNETES.close();
    }
}
