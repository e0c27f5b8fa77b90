// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.quarkus;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.SnowflakeName;

/** The application that is tested. */
@ApplicationScoped
class Orders {

    @Inject
    Snowflake ids;

    @Inject
    @SnowflakeName("invoices")
    Snowflake invoiceIds;

    long place() {
        return ids.nextId();
    }

    long invoice() {
        return invoiceIds.nextId();
    }
}
