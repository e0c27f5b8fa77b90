// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.LeasedSnowflakeContract;

class NacosLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final NacosFixture NACOS = new NacosFixture();

    NacosLeasedSnowflakeContractTest() {
        super(NACOS);
    }

    @AfterAll
    static void stopServer() {
        NACOS.close();
    }
}
