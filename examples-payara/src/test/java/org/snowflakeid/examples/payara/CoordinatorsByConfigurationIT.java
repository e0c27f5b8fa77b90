// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.payara;

import org.snowflakeid.runtime.CoordinatorsByConfigurationContract;

class CoordinatorsByConfigurationIT extends CoordinatorsByConfigurationContract {

    CoordinatorsByConfigurationIT() {
        super(new PackagedExample());
    }
}
