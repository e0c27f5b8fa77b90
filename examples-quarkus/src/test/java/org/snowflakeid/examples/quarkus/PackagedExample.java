// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.quarkus;

import org.snowflakeid.runtime.Launcher;

/** Started as {@code bin/run-example} does. */
final class PackagedExample implements Launcher {

    @Override
    public ProcessBuilder prepare(int port) {
        ProcessBuilder builder = new ProcessBuilder(Launcher.java("-jar", "target/quarkus-app/quarkus-run.jar"));
        builder.environment().put("SERVER_PORT", Integer.toString(port));
        return builder;
    }
}
