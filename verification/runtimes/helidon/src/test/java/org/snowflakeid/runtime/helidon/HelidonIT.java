// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.helidon;

import java.util.Map;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RuntimeContract;

class HelidonIT extends RuntimeContract {

    HelidonIT() {
        super("helidon", HelidonIT::prepare);
    }

    private static ProcessBuilder prepare(int port) {
        ProcessBuilder builder =
                new ProcessBuilder(Launcher.java("-cp", "target/libs/*", "io.helidon.microprofile.cdi.Main"));
        builder.environment().putAll(Map.of("SERVER_HOST", "127.0.0.1", "SERVER_PORT", Integer.toString(port)));
        return builder;
    }
}
