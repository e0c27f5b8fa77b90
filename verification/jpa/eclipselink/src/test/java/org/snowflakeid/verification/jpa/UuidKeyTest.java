// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

/** EclipseLink's own way. */
class UuidKeyTest extends UuidKeyContract {

    UuidKeyTest() {
        super("eclipselink-heir", EclipseLinkTicket::new, EclipseLinkCramped::new);
    }
}
