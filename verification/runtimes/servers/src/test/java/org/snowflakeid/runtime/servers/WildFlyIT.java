// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.runtime.Launcher;

@Tag("nightly")
class WildFlyIT extends OtherServerContract {

    WildFlyIT() {
        super("wildfly");
    }

    @Override
    Launcher launcher(Path deployments) {
        return new WildFly(deployments);
    }

    /** One stays, however many have ended. */
    @Override
    long loadersKeptByTheServer() {
        return 1;
    }
}
