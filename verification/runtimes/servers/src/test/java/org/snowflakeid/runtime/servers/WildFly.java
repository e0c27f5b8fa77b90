// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.testservers.FreePorts;

/** WildFly, which deploys what is put into a folder. */
record WildFly(Path deployments) implements Launcher {

    private static final Path SERVER =
            Path.of("target/wildfly/wildfly-39.0.1.Final").toAbsolutePath();

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        Path base = Path.of("target", "wildfly-" + port).toAbsolutePath();
        OtherServerContract.copy(SERVER.resolve("standalone/configuration"), base.resolve("configuration"));
        OtherServerContract.change(
                base.resolve("configuration/standalone.xml"),
                "path=\"deployments\" relative-to=\"jboss.server.base.dir\" scan-interval=\"5000\"",
                "path=\"" + deployments + "\" scan-interval=\"500\"");
        List<String> command = new ArrayList<>(Launcher.java(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                ServerContract.NO_SOFT_REFERENCES,
                "--add-exports=java.naming/com.sun.jndi.ldap=ALL-UNNAMED",
                "--add-exports=java.naming/com.sun.jndi.url.ldap=ALL-UNNAMED"));
        // As its own script does.
        Stream.of(
                        "java.base/java.lang",
                        "java.base/java.lang.invoke",
                        "java.base/java.lang.reflect",
                        "java.base/java.io",
                        "java.base/java.net",
                        "java.base/java.security",
                        "java.base/java.util",
                        "java.base/java.util.concurrent",
                        "java.management/javax.management",
                        "java.naming/javax.naming")
                .map(opened -> "--add-opens=" + opened + "=ALL-UNNAMED")
                .forEach(command::add);
        command.addAll(List.of(
                "-Djboss.home.dir=" + SERVER,
                "-Djboss.server.base.dir=" + base,
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                "-jar",
                SERVER.resolve("jboss-modules.jar").toString(),
                "-mp",
                SERVER.resolve("modules").toString(),
                "org.jboss.as.standalone",
                "-b",
                "127.0.0.1",
                "-Djboss.http.port=" + port,
                "-Djboss.https.port=" + FreePorts.next(),
                "-Djboss.management.http.port=" + FreePorts.next()));
        return new ProcessBuilder(command);
    }
}
