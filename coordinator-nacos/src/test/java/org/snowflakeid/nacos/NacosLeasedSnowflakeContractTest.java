// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import org.snowflakeid.tck.LeasedSnowflakeContract;

class NacosLeasedSnowflakeContractTest extends LeasedSnowflakeContract {
    NacosLeasedSnowflakeContractTest() {
        super(NacosFixture.PROXIED);
    }
}
