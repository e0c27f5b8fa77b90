// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.snowflakeid.runtime.Launcher;

/**
 * Payara Micro with an application.
 *
 * @param dropins it also deploys what is put here
 * @param options of its JVM
 */
record Payara(Path war, Path dropins, List<String> options) implements Launcher {

    private static final Path SERVER = Path.of("target/payara-micro.jar");

    @Override
    public ProcessBuilder prepare(int port) throws IOException {
        ServerContract.clear(dropins);
        List<String> command = new ArrayList<>(Launcher.java());
        command.addAll(options);
        command.addAll(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", ServerContract.NO_SOFT_REFERENCES));
        // What the jar's manifest asks for is granted only to java -jar.
        try (JarFile server = new JarFile(SERVER.toFile())) {
            Attributes manifest = server.getManifest().getMainAttributes();
            for (String name : namesIn(manifest, "Add-Opens")) {
                command.add("--add-opens=" + name + "=ALL-UNNAMED");
            }
            for (String name : namesIn(manifest, "Add-Exports")) {
                command.add("--add-exports=" + name + "=ALL-UNNAMED");
            }
        }
        command.addAll(List.of(
                "-cp",
                SERVER + File.pathSeparator + "target/test-classes",
                PayaraWithDropins.class.getName(),
                dropins.toString(),
                "--nohazelcast",
                "--disablephonehome",
                "--prebootcommandfile",
                "src/test/payara/boot-commands.txt",
                "--port",
                Integer.toString(port),
                "--contextroot",
                "/",
                "--deploy",
                war.toString()));
        return new ProcessBuilder(command);
    }

    private static List<String> namesIn(Attributes manifest, String key) {
        return Pattern.compile(" ").splitAsStream(manifest.getValue(key)).toList();
    }
}
