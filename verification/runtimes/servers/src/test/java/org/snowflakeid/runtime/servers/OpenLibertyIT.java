// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.nio.file.Path;

class OpenLibertyIT extends ServerContract {

    private static final Path DROPINS = Path.of("target/open-liberty-dropins").toAbsolutePath();

    OpenLibertyIT() {
        super("open-liberty", new OpenLiberty(WAR, DROPINS, null), DROPINS);
    }

    /** A static field of Weld's AnnotationBuilderFactoryImpl holds the application that was deployed last. */
    @Override
    long loadersKeptByTheServer() {
        return 1;
    }
}
