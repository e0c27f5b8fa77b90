// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.snowflakeid.testservers.FreePorts;

/** GlassFish, on a Java that it starts on. */
record GlassFish(Deployment deployment) implements WatchingServer {

    private static final Path SERVER =
            Path.of("target/glassfish/glassfish7/glassfish").toAbsolutePath();

    /** It does not start on Java 25. */
    private static Path javaHome() {
        return Path.of(Objects.requireNonNull(System.getenv("JAVA_17_HOME"), "JAVA_17_HOME is not set"));
    }

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        deployment.begin();
        // By this it knows what it has deployed.
        Path status = Files.createDirectories(deployment.folder().resolve(".autodeploystatus"));
        Files.deleteIfExists(status.resolve("application.war"));
        Path domain = Path.of("target", "glassfish-" + port).toAbsolutePath();
        WatchingServer.copy(SERVER.resolve("domains/domain1"), domain);
        Path configuration = domain.resolve("config/domain.xml");
        WatchingServer.change(
                configuration,
                "<network-listener port=\"8080\"",
                "<network-listener address=\"127.0.0.1\" port=\"" + port + "\"");
        WatchingServer.change(
                configuration, "<network-listener port=\"8181\"", "<network-listener enabled=\"false\" port=\"8181\"");
        WatchingServer.change(
                configuration,
                "<network-listener port=\"4848\"",
                "<network-listener address=\"127.0.0.1\" port=\"" + FreePorts.next() + "\"");
        WatchingServer.change(
                configuration,
                "<jmx-connector auth-realm-name=\"admin-realm\" security-enabled=\"false\" address=\"0.0.0.0\" port=\"8686\""
                        + " name=\"system\" />",
                "<das-config autodeploy-dir=\"" + deployment.folder()
                        + "\" autodeploy-polling-interval-in-seconds=\"1\"/>");
        List<String> command = WatchingServer.java(
                javaHome(),
                "java.base/java.io",
                "java.base/java.lang",
                "java.base/java.util",
                "java.base/sun.net.www.protocol.jrt",
                "java.base/jdk.internal.vm.annotation",
                "java.naming/javax.naming.spi",
                "java.rmi/sun.rmi.transport",
                "jdk.management/com.sun.management.internal");
        command.addAll(List.of(
                "--add-exports=java.naming/com.sun.jndi.ldap=ALL-UNNAMED",
                "--add-exports=java.base/jdk.internal.vm.annotation=ALL-UNNAMED",
                "-Dcom.sun.aas.installRoot=" + SERVER,
                "-Dcom.sun.aas.instanceRoot=" + domain,
                "-Djava.security.policy=" + domain.resolve("config/server.policy"),
                "-Djava.security.auth.login.config=" + domain.resolve("config/login.conf"),
                "-Djavax.net.ssl.keyStore=" + domain.resolve("config/keystore.jks"),
                "-Djavax.net.ssl.trustStore=" + domain.resolve("config/cacerts.jks"),
                "-Dcom.sun.enterprise.config.config_environment_factory_class="
                        + "com.sun.enterprise.config.serverbeans.AppserverConfigEnvironmentFactory",
                "-cp",
                SERVER.resolve("modules/glassfish.jar").toString(),
                "com.sun.enterprise.glassfish.bootstrap.ASMain",
                "-domaindir",
                domain.toString(),
                "-domainname",
                "domain1",
                "-instancename",
                "server",
                "-type",
                "DAS",
                "-verbose",
                "true"));
        return new ProcessBuilder(command);
    }
}
