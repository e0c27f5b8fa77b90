// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import java.util.Map;

/** EclipseLink's own way. */
class EclipseLinkShapesTest extends ShapesContract {

    EclipseLinkShapesTest() {
        super(
                EclipseLinkShapes.class,
                true,
                Map.of(
                        "eclipselink.session-event-listener",
                        "org.snowflakeid.eclipselink.SnowflakeIdSessionListener",
                        "eclipselink.weaving",
                        "false"));
    }
}
