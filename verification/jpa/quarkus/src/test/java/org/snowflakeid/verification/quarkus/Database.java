// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.testservers.PostgresServer;

/** A PostgreSQL for a test. */
public class Database implements QuarkusTestResourceLifecycleManager {

    private @Nullable PostgresServer server;

    @Override
    public Map<String, String> start() {
        PostgresServer started = PostgresServer.start();
        server = started;
        return Map.of("quarkus.datasource.jdbc.url", started.url());
    }

    @Override
    public void stop() {
        if (server != null) {
            server.close();
        }
    }
}
