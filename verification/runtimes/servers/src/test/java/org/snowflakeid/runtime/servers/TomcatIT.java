// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import org.junit.jupiter.api.Tag;

@Tag("nightly")
class TomcatIT extends ServletContainerContract {

    TomcatIT() {
        super("tomcat", Tomcat::new);
    }
}
