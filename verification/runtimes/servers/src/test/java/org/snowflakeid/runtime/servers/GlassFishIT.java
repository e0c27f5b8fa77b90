// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import org.junit.jupiter.api.Tag;

@Tag("nightly")
class GlassFishIT extends OtherServerContract {

    GlassFishIT() {
        super("glassfish", ServerContract.WAR, GlassFish::new);
    }

    /** Its MicroProfile Config keeps what it has made for each: by MpConfigProviderResolver.CONFIGS, whose keys are class loaders. */
    @Override
    long loadersKeptByTheServer() {
        return REDEPLOYMENTS;
    }
}
