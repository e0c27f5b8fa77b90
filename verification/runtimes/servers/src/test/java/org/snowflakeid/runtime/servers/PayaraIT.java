// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.nio.file.Path;
import java.util.List;

class PayaraIT extends ServerContract {

    private static final Path DROPINS = Path.of("target/payara-dropins").toAbsolutePath();

    PayaraIT() {
        super("payara", new Payara(WAR, DROPINS, List.of()), DROPINS);
    }
}
