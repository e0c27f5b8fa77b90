// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.LeasedSnowflakeContract;

class ConsulLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final ConsulFixture CONSUL = new ConsulFixture();

    ConsulLeasedSnowflakeContractTest() {
        super(CONSUL);
    }

    @AfterAll
    static void stopServer() {
        CONSUL.close();
    }
}
