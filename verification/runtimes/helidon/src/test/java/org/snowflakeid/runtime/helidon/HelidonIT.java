// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.helidon;

import java.io.File;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RuntimeContract;
import org.snowflakeid.runtime.ShownMeters;

class HelidonIT extends RuntimeContract {

    private static final String CLASS_PATH = "target/classes" + File.pathSeparator + "target/libs/*";

    HelidonIT() {
        super("helidon", HelidonIT::prepare);
    }

    private static ProcessBuilder prepare(int port) {
        ProcessBuilder builder =
                new ProcessBuilder(Launcher.java("-cp", CLASS_PATH, "io.helidon.microprofile.cdi.Main"));
        builder.environment().putAll(Map.of("SERVER_HOST", "127.0.0.1", "SERVER_PORT", Integer.toString(port)));
        return builder;
    }

    @Test
    void showsItsMetersAtHelidonsOwnEndpoint() throws Exception {
        ShownMeters.check(application());
    }
}
