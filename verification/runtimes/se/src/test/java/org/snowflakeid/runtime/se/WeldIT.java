// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.se;

import org.snowflakeid.runtime.RuntimeContract;

class WeldIT extends RuntimeContract {

    WeldIT() {
        super("weld", new SeLauncher("weld"));
    }
}
