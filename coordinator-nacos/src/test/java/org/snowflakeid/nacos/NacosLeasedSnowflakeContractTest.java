// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.tck.LeasedSnowflakeContract;
import org.snowflakeid.testservers.ProxiedServer;

@Tag("nightly")
class NacosLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final ProxiedServer NACOS = NacosFixture.start();

    NacosLeasedSnowflakeContractTest() {
        super(NACOS);
    }

    @AfterAll
    static void stopServer() {
        NACOS.close();
    }
}
