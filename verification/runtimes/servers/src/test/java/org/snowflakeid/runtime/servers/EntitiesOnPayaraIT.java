// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.nio.file.Path;
import java.util.List;

class EntitiesOnPayaraIT extends EntityServerContract {

    EntitiesOnPayaraIT() {
        super(
                "payara",
                new Payara(
                        WAR,
                        Path.of("target/payara-entities-dropins").toAbsolutePath(),
                        // Hibernate knows other servers by itself.
                        List.of("-Dhibernate.transaction.jta.platform=SunOne")));
    }
}
