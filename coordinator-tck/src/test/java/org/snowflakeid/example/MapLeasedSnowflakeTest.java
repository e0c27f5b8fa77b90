// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.example;

import org.snowflakeid.tck.LeasedSnowflakeContract;

class MapLeasedSnowflakeTest extends LeasedSnowflakeContract {

    MapLeasedSnowflakeTest() {
        super(new MapFixture());
    }
}
