// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.payara;

import org.snowflakeid.runtime.Launcher;

/** Started as {@code bin/run-example payara} does. */
final class PackagedExample implements Launcher {

    @Override
    public ProcessBuilder prepare(int port) {
        return new ProcessBuilder(Launcher.java(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                "target/payara-micro.jar",
                "--nohazelcast",
                "--disablephonehome",
                "--prebootcommandfile",
                "src/main/payara/boot-commands.txt",
                "--postbootcommandfile",
                "src/main/payara/data-source.txt",
                "--addlibs",
                "target/postgresql.jar",
                "--logproperties",
                "src/main/payara/logging.properties",
                "--port",
                Integer.toString(port),
                "--contextroot",
                "/",
                "--deploy",
                "target/examples-payara.war"));
    }
}
