// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.ServerFaultsContract;

@Tag("nightly")
class LeasedSnowflakeOnNacosTest extends ServerFaultsContract {
    private static final NacosServer SERVER = NacosServer.start();

    LeasedSnowflakeOnNacosTest() {
        super(SERVER, "snowflake.nacos.server-addr", SERVER.address(), 16);
    }

    @AfterAll
    static void stopServer() {
        SERVER.close();
    }

    @Override
    protected void deleteNamespace() {
        SERVER.delete("snowflake", namespace, "meta");
    }

    /** Of files that no process writes to. */
    @Override
    protected Runnable backup() {
        SERVER.kill();
        Path backup = SERVER.backup();
        startServerAgain();
        return () -> {
            SERVER.kill();
            SERVER.restore(backup);
            startServerAgain();
        };
    }

    @Override
    protected String record(int workerId) {
        return SERVER.get(
                "/v3/admin/cs/config?namespaceId=snowflake&groupName=" + namespace + "&dataId=marks:" + workerId);
    }
}
