// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.snowflakeid.testservers.FreePorts;

/**
 * WildFly.
 *
 * @param configuration the name of one of those that it comes with
 * @param managementPort where it answers besides, also about its health
 */
record WildFly(Deployment deployment, String configuration, int managementPort) implements WatchingServer {

    private static final Path SERVER =
            Path.of("target/wildfly/wildfly-39.0.1.Final").toAbsolutePath();

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        deployment.begin();
        Path base = Path.of("target", "wildfly-" + port).toAbsolutePath();
        WatchingServer.copy(SERVER.resolve("standalone/configuration"), base.resolve("configuration"));
        WatchingServer.change(
                base.resolve("configuration").resolve(configuration),
                "path=\"deployments\" relative-to=\"jboss.server.base.dir\" scan-interval=\"5000\"",
                "path=\"" + deployment.folder() + "\" scan-interval=\"500\"");
        List<String> command = WatchingServer.java(
                WatchingServer.javaHome(),
                "java.base/java.lang",
                "java.base/java.lang.invoke",
                "java.base/java.lang.reflect",
                "java.base/java.io",
                "java.base/java.net",
                "java.base/java.security",
                "java.base/java.util",
                "java.base/java.util.concurrent",
                "java.management/javax.management",
                "java.naming/javax.naming");
        command.addAll(List.of(
                "--add-exports=java.naming/com.sun.jndi.ldap=ALL-UNNAMED",
                "--add-exports=java.naming/com.sun.jndi.url.ldap=ALL-UNNAMED",
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
                "--server-config=" + configuration,
                "-Djboss.http.port=" + port,
                "-Djboss.https.port=" + FreePorts.next(),
                "-Djboss.management.http.port=" + managementPort));
        return new ProcessBuilder(command);
    }
}
