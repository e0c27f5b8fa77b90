// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import java.util.Map;

/** Hibernate's own way. */
class HibernateShapesTest extends ShapesContract {

    HibernateShapesTest() {
        super(HibernateShapes.class, true, Map.of());
    }
}
