// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.nio.file.Path;

class EntitiesOnOpenLibertyIT extends EntityServerContract {

    EntitiesOnOpenLibertyIT() {
        super(
                "open-liberty",
                new OpenLiberty(
                        WAR,
                        Path.of("target/open-liberty-entities-dropins").toAbsolutePath(),
                        Path.of("src/test/open-liberty/entities.xml")));
    }
}
