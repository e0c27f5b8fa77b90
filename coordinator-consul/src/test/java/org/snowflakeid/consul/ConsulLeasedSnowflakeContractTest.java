// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.tck.LeasedSnowflakeContract;
import org.snowflakeid.testservers.ProxiedServer;

@Tag("nightly")
class ConsulLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    private static final ProxiedServer CONSUL = ConsulFixture.start();

    ConsulLeasedSnowflakeContractTest() {
        super(CONSUL);
    }

    @AfterAll
    static void stopServer() {
        CONSUL.close();
    }
}
