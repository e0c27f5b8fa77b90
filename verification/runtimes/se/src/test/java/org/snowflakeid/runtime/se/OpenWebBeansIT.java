// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.se;

import org.snowflakeid.runtime.RuntimeContract;

class OpenWebBeansIT extends RuntimeContract {

    OpenWebBeansIT() {
        super("openwebbeans", new SeLauncher("openwebbeans"));
    }
}
