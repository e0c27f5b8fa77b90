// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

class OpenLibertyIT extends ServerContract {

    private static final Path DROPINS = Path.of("target/open-liberty-dropins").toAbsolutePath();

    OpenLibertyIT() {
        super("open-liberty", OpenLibertyIT::prepare, DROPINS);
    }

    /** A static field of Weld's AnnotationBuilderFactoryImpl holds the application that was deployed last. */
    @Override
    long loadersKeptByTheServer() {
        return 1;
    }

    private static ProcessBuilder prepare(int port) throws IOException {
        clear(DROPINS);
        Path home = Path.of("target", "open-liberty-" + port).toAbsolutePath();
        Path server = Files.createDirectories(home.resolve("servers/test"));
        Files.copy(
                Path.of("src/test/open-liberty/server.xml"),
                server.resolve("server.xml"),
                StandardCopyOption.REPLACE_EXISTING);
        ProcessBuilder builder = new ProcessBuilder("sh", "target/open-liberty/wlp/bin/server", "run", "test");
        builder.environment()
                .putAll(Map.of(
                        "JAVA_HOME", System.getProperty("java.home"),
                        "JVM_ARGS", "-XX:+UseSerialGC -Xmx512m " + NO_SOFT_REFERENCES,
                        "WLP_USER_DIR", home.toString(),
                        "HTTP_PORT", Integer.toString(port),
                        "DROPINS", DROPINS.toString(),
                        "WAR", WAR.toString()));
        return builder;
    }
}
