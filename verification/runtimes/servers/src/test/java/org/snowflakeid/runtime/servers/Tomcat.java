// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tomcat, which has no CDI: the application brings Weld. */
record Tomcat(Deployment deployment) implements WatchingServer {

    private static final Path SERVER =
            Path.of("target/tomcat/apache-tomcat-10.1.34").toAbsolutePath();

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        deployment.begin();
        Path base = Path.of("target", "tomcat-" + port).toAbsolutePath();
        WatchingServer.copy(SERVER.resolve("conf"), base.resolve("conf"));
        Path temporary = Files.createDirectories(base.resolve("temp"));
        Path configuration = base.resolve("conf/server.xml");
        WatchingServer.change(
                configuration, "<Connector port=\"8080\"", "<Connector address=\"127.0.0.1\" port=\"" + port + "\"");
        WatchingServer.change(configuration, "<Server port=\"8005\"", "<Server port=\"-1\"");
        WatchingServer.change(
                configuration, "<Engine name=\"Catalina\"", "<Engine backgroundProcessorDelay=\"1\" name=\"Catalina\"");
        WatchingServer.change(configuration, "appBase=\"webapps\"", "appBase=\"" + deployment.folder() + "\"");
        List<String> command = WatchingServer.java(
                WatchingServer.javaHome(),
                "java.base/java.lang",
                "java.base/java.lang.reflect",
                "java.base/java.io",
                "java.base/java.util",
                "java.base/java.util.concurrent",
                "java.rmi/sun.rmi.transport");
        command.addAll(List.of(
                "-Dcatalina.home=" + SERVER,
                "-Dcatalina.base=" + base,
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                SERVER.resolve("bin/bootstrap.jar") + File.pathSeparator + SERVER.resolve("bin/tomcat-juli.jar"),
                "org.apache.catalina.startup.Bootstrap",
                "start"));
        return new ProcessBuilder(command);
    }
}
