// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import org.junit.jupiter.api.Tag;

/** With the Hibernate of the application. */
@Tag("nightly")
class EntitiesOnTomcatIT extends OrdersContract {

    EntitiesOnTomcatIT() {
        super(
                "tomcat",
                new Tomcat(Deployment.of(servletsArchive(), "tomcat-orders-deployments")),
                "Hibernate ORM core version");
    }
}
