// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

/** The portable way with EclipseLink. */
class PortableTest extends EntityContract {

    PortableTest() {
        super("portable", PortablePurchase::new, PortableMistyped::new, PortableHeir::new);
    }
}
