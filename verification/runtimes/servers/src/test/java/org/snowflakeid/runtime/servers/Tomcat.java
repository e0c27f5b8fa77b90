// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.snowflakeid.runtime.Launcher;

/** Tomcat, which deploys what is put into a folder. */
record Tomcat(Path deployments) implements Launcher {

    private static final Path SERVER =
            Path.of("target/tomcat/apache-tomcat-10.1.34").toAbsolutePath();

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        Path base = Path.of("target", "tomcat-" + port).toAbsolutePath();
        OtherServerContract.copy(SERVER.resolve("conf"), base.resolve("conf"));
        Path temporary = Files.createDirectories(base.resolve("temp"));
        Path configuration = base.resolve("conf/server.xml");
        OtherServerContract.change(
                configuration, "<Connector port=\"8080\"", "<Connector address=\"127.0.0.1\" port=\"" + port + "\"");
        OtherServerContract.change(configuration, "<Server port=\"8005\"", "<Server port=\"-1\"");
        OtherServerContract.change(
                configuration, "<Engine name=\"Catalina\"", "<Engine backgroundProcessorDelay=\"1\" name=\"Catalina\"");
        OtherServerContract.change(configuration, "appBase=\"webapps\"", "appBase=\"" + deployments + "\"");
        List<String> command = new ArrayList<>(Launcher.java(
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", ServerContract.NO_SOFT_REFERENCES));
        command.addAll(List.of(
                // As its own script does.
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                "--add-opens=java.base/java.io=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
                "--add-opens=java.rmi/sun.rmi.transport=ALL-UNNAMED",
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
