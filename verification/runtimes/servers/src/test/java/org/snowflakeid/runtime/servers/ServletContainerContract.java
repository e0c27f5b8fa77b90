// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.snowflakeid.runtime.Launcher;

/** With the CDI, the Jakarta REST and the JSON of the application, and without MicroProfile Config. */
abstract class ServletContainerContract extends OtherServerContract {

    /** What servlet containers lack. */
    static final Path LIBRARIES = Path.of("target/servlet-libraries.war");

    ServletContainerContract(String server, Function<Deployment, Launcher> launcher) {
        super(server, MergedArchive.of(server + "-application.war", List.of(ServerContract.WAR, LIBRARIES)), launcher);
    }

    /** The file in the WAR is for MicroProfile Config. */
    @Override
    protected Map<String, String> settings() {
        return Map.of(
                "SNOWFLAKE_GENERATORS_ORDERS_WORKER_ID_BITS", "2",
                "SNOWFLAKE_GENERATORS_ORDERS_SEQUENCE_BITS", "20");
    }
}
