// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.weld;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.snowflakeid.Snowflake;

/** The application that is tested. */
@ApplicationScoped
class Orders {

    @Inject
    Snowflake ids;

    long place() {
        return ids.nextId();
    }
}
