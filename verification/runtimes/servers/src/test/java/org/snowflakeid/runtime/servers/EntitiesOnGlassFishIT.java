// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import org.junit.jupiter.api.Tag;

/** With its EclipseLink, and a data source that the application defines. */
@Tag("nightly")
class EntitiesOnGlassFishIT extends OrdersContract {

    EntitiesOnGlassFishIT() {
        super(
                "glassfish",
                new GlassFish(Deployment.of(serversArchive(), "glassfish-orders-deployments")),
                "EclipseLink, version");
    }
}
