// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

/** Hibernate's own way. */
class UuidKeyTest extends UuidKeyContract {

    UuidKeyTest() {
        super("hibernate-heir", HibernateTicket::new, HibernateCramped::new);
    }
}
