// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.tck.WorkerCoordinatorContract;

@Tag("nightly")
class HsqldbContractTest extends WorkerCoordinatorContract {
    private static final Databases DATABASE = Databases.hsqldb();

    HsqldbContractTest() {
        super(DATABASE);
    }

    @AfterAll
    static void stopServer() {
        DATABASE.close();
    }
}
