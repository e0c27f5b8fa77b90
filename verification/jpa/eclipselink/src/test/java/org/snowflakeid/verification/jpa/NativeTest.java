// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

/** EclipseLink's own way. */
class NativeTest extends EntityContract {

    NativeTest() {
        super("eclipselink", EclipseLinkPurchase::new, EclipseLinkMistyped::new, EclipseLinkHeir::new);
    }
}
