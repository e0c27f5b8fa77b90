// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import org.junit.jupiter.api.Tag;
import org.snowflakeid.testservers.FreePorts;

@Tag("nightly")
class WildFlyIT extends OtherServerContract {

    WildFlyIT() {
        super("wildfly", ServerContract.WAR, deployment -> new WildFly(deployment, "standalone.xml", FreePorts.next()));
    }

    /** One stays, however many have ended. */
    @Override
    long loadersKeptByTheServer() {
        return 1;
    }
}
