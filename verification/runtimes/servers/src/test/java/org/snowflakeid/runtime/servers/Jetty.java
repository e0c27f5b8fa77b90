// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Jetty, with its modules for web applications, their annotations, JNDI and CDI. */
record Jetty(Deployment deployment) implements WatchingServer {

    private static final Path SERVER =
            Path.of("target/jetty/jetty-home-12.0.16").toAbsolutePath();

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        deployment.begin();
        Path base = Path.of("target", "jetty-" + port).toAbsolutePath();
        Path temporary = Files.createDirectories(base.resolve("work"));
        Files.createDirectories(base.resolve("resources"));
        Files.createDirectories(base.resolve("webapps"));
        // What is on the command line is told to the web applications' part of Jetty, and not to its connector.
        Files.write(
                base.resolve("start.ini"),
                List.of("--modules=http", "jetty.http.host=127.0.0.1", "jetty.http.port=" + port));
        List<String> command = WatchingServer.java(WatchingServer.javaHome());
        command.addAll(List.of(
                "-Djava.io.tmpdir=" + temporary,
                "-jar",
                SERVER.resolve("start.jar").toString(),
                "jetty.base=" + base,
                "--modules=ee10-deploy,ee10-annotations,ee10-plus,ee10-cdi-spi",
                "jetty.deploy.monitoredDir=" + deployment.folder(),
                "jetty.deploy.scanInterval=1"));
        return new ProcessBuilder(command);
    }
}
