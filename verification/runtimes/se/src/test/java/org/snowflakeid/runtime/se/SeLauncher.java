// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.se;

import org.snowflakeid.runtime.Launcher;

/** @param container whose libraries lie in a folder of that name */
record SeLauncher(String container) implements Launcher {

    @Override
    public ProcessBuilder prepare(int port) {
        return new ProcessBuilder(Launcher.java(
                "-Dserver.port=" + port,
                "-cp",
                "target/" + container + "/*:target/snowflake-runtime-se-0.1.0-SNAPSHOT.jar",
                Main.class.getName()));
    }
}
