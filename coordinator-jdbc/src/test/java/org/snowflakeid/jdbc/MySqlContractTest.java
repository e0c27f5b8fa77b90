// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class MySqlContractTest extends WorkerCoordinatorContract {
    private static final Databases DATABASE = Databases.mySql();

    MySqlContractTest() {
        super(DATABASE);
    }

    @AfterAll
    static void stopServer() {
        DATABASE.close();
    }
}
