// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import org.junit.jupiter.api.Tag;

@Tag("nightly")
class JettyIT extends ServletContainerContract {

    JettyIT() {
        super("jetty", Jetty::new);
    }
}
