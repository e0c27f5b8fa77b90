// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

class MemoryLeasedSnowflakeTest extends LeasedSnowflakeContract {

    MemoryLeasedSnowflakeTest() {
        super(new MemoryFixture());
    }
}
