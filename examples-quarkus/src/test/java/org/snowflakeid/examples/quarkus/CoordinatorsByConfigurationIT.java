// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.quarkus;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.runtime.CoordinatorsByConfigurationContract;
import org.snowflakeid.testservers.PostgresServer;

@Tag("nightly")
class CoordinatorsByConfigurationIT extends CoordinatorsByConfigurationContract {

    CoordinatorsByConfigurationIT() {
        super(new PackagedExample());
    }

    /** Its data source, which the coordinator finds by itself. */
    @Override
    protected Map<String, String> database(PostgresServer postgres) {
        return Map.of("QUARKUS_DATASOURCE_JDBC_URL", postgres.url());
    }
}
