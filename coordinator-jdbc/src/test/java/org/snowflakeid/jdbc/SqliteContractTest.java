// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class SqliteContractTest extends WorkerCoordinatorContract {
    private static final SqliteFile FILE = new SqliteFile();

    SqliteContractTest() {
        super(FILE);
    }

    @AfterAll
    static void deleteFile() {
        FILE.close();
    }
}
