// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.testservers.DatabaseServer;
import org.snowflakeid.testservers.MySqlServer;

class MySqlUnknownOutcomeContractTest extends LostAnswersOfDatabase {
    /** Else the driver sends values in hexadecimal digits, which the proxy does not find. */
    static final String READABLE = "&useServerPrepStmts=true";

    private static final DatabaseServer SERVER = MySqlServer.start();

    MySqlUnknownOutcomeContractTest() {
        super(SERVER);
    }

    @Override
    String readable(String url) {
        return url + READABLE;
    }

    @AfterAll
    static void stopServer() {
        SERVER.close();
    }
}
