// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.ServerFaultsContract;

class LeasedSnowflakeOnConsulTest extends ServerFaultsContract {
    private static final ConsulServer SERVER = ConsulServer.start();

    LeasedSnowflakeOnConsulTest() {
        super(SERVER, "snowflake.consul.url", SERVER.url(), 32);
    }

    @AfterAll
    static void stopServer() {
        SERVER.close();
    }

    @Override
    protected void deleteNamespace() {
        SERVER.consul("kv", "delete", "-recurse", namespace + "/");
    }

    @Override
    protected Runnable backup() {
        Path backup = SERVER.backup();
        return () -> SERVER.restore(backup);
    }

    @Override
    protected String record(int workerId) {
        return SERVER.consul("kv", "get", namespace + "/marks/" + workerId);
    }
}
