// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.runtime.Launcher;

@Tag("nightly")
class GlassFishIT extends OtherServerContract {

    GlassFishIT() {
        super("glassfish");
    }

    @Override
    Launcher launcher(Path deployments) {
        return new GlassFish(deployments);
    }

    /** Its MicroProfile Config keeps what it has made for each: by MpConfigProviderResolver.CONFIGS, whose keys are class loaders. */
    @Override
    long loadersKeptByTheServer() {
        return REDEPLOYMENTS;
    }
}
