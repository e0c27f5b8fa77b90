// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.MariaDbServer;

class MariaDbUnknownOutcomeContractTest extends LostAnswersOfDatabase {
    private static final DatabaseServer SERVER = MariaDbServer.start();

    MariaDbUnknownOutcomeContractTest() {
        super(SERVER);
    }

    @AfterAll
    static void stopServer() {
        SERVER.close();
    }
}
