// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import org.snowflakeid.tck.LeasedSnowflakeContract;

class MemoryLeasedSnowflakeTest extends LeasedSnowflakeContract {

    MemoryLeasedSnowflakeTest() {
        super(new MemoryFixture());
    }
}
