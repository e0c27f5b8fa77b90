// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import java.util.Map;

/** The portable way with EclipseLink. */
class PortableShapesTest extends ShapesContract {

    PortableShapesTest() {
        super(PortableShapes.class, false, Map.of("eclipselink.weaving", "false"), "META-INF/snowflake-orm.xml");
    }
}
