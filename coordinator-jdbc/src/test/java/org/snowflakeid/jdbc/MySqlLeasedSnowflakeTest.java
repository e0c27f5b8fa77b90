// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.LeasedSnowflakeContract;

class MySqlLeasedSnowflakeTest extends LeasedSnowflakeContract {
    private static final Databases DATABASE = Databases.mySql();

    MySqlLeasedSnowflakeTest() {
        super(DATABASE);
    }

    @AfterAll
    static void stopServer() {
        DATABASE.close();
    }
}
