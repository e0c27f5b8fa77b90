// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.tck.WorkerCoordinatorContract;

/** Nightly, since reading 65,536 worker ids takes it half a minute. */
@Tag("nightly")
class FirebirdContractTest extends WorkerCoordinatorContract {
    private static final Databases DATABASE = Databases.firebird();

    FirebirdContractTest() {
        super(DATABASE);
    }

    @AfterAll
    static void stopServer() {
        DATABASE.close();
    }
}
