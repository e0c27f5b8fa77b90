// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.runtime.Launcher;

/**
 * Open Liberty with an application.
 *
 * @param dropins it also deploys what is put here
 * @param additions to its configuration
 */
record OpenLiberty(Path war, Path dropins, @Nullable Path additions) implements Launcher {

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        ServerContract.clear(dropins);
        Path home = Path.of("target", "open-liberty-" + port).toAbsolutePath();
        Path server = Files.createDirectories(home.resolve("servers/test"));
        Files.copy(
                Path.of("src/test/open-liberty/server.xml"),
                server.resolve("server.xml"),
                StandardCopyOption.REPLACE_EXISTING);
        if (additions != null) {
            Files.copy(
                    additions,
                    Files.createDirectories(server.resolve("configDropins/overrides"))
                            .resolve("additions.xml"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        ProcessBuilder builder = new ProcessBuilder("sh", "target/open-liberty/wlp/bin/server", "run", "test");
        builder.environment()
                .putAll(Map.of(
                        "JAVA_HOME", System.getProperty("java.home"),
                        "JVM_ARGS", "-XX:+UseSerialGC -Xmx512m " + ServerContract.NO_SOFT_REFERENCES,
                        "WLP_USER_DIR", home.toString(),
                        "HTTP_PORT", Integer.toString(port),
                        "DROPINS", dropins.toString(),
                        "WAR", war.toString()));
        return builder;
    }
}
