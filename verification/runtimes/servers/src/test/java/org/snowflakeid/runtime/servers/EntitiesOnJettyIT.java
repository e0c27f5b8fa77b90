// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import org.junit.jupiter.api.Tag;

/** With the Hibernate of the application. */
@Tag("nightly")
class EntitiesOnJettyIT extends OrdersContract {

    EntitiesOnJettyIT() {
        super(
                "jetty",
                new Jetty(Deployment.of(servletsArchive(), "jetty-orders-deployments")),
                "Hibernate ORM core version");
    }
}
