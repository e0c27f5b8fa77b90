// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

/** The portable way with Hibernate. */
class PortableUuidKeyTest extends UuidKeyContract {

    PortableUuidKeyTest() {
        super("portable-heir", PortableTicket::new, PortableCramped::new);
    }
}
