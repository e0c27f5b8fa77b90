// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.snowflakeid.runtime.Launcher;

/** What the Containerfile makes, in a folder of this machine in place of an image: it does what COPY, RUN and ENTRYPOINT say. */
final class Image implements Launcher {

    /** The only folder that the Containerfile writes to. */
    private static final String APP = "/app/";

    private final Path app;
    private final Path output;
    private final List<String> command = new ArrayList<>();

    /** @param folder an empty one */
    Image(Path folder) throws Exception {
        this.app = Files.createDirectory(folder.resolve("app"));
        this.output = folder.resolve("output.txt");
        String file = DeploymentFiles.text("Containerfile").replace("\\\n", " ");
        for (String line : file.lines().toList()) {
            String[] instruction = line.split(" ", 2);
            switch (instruction[0]) {
                case "COPY" -> copy(instruction[1]);
                case "RUN" -> run(instruction[1]);
                case "ENTRYPOINT" -> startWith(instruction[1]);
                default -> {
                    // Of the container, or a remark.
                }
            }
        }
    }

    Path app() {
        return app;
    }

    private void copy(String fromAndTo) throws IOException {
        String[] paths = fromAndTo.split(" ", -1);
        assertThat(paths).hasSize(2);
        Path from = Pages.ROOT.resolve("examples-helidon/target").resolve(paths[0]);
        Path to = app.resolve(paths[1].substring(APP.length()));
        if (paths[1].endsWith("/")) {
            to = to.resolve(paths[0]);
        }
        try (Stream<Path> files = Files.walk(from)) {
            for (Path each : files.toList()) {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    private void run(String shellCommand) throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", here(shellCommand).replace(" java ", " " + java() + " "))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();

        int status = shell.waitFor();

        assertThat(status).as(shellCommand + '\n' + Files.readString(output)).isZero();
    }

    private void startWith(String list) {
        try (JsonReader reader = Json.createReader(new StringReader(list))) {
            reader.readArray()
                    .getValuesAs(JsonString::getString)
                    .forEach(argument -> command.add("java".equals(argument) ? java() : here(argument)));
        }
    }

    private String here(String text) {
        return text.replace(APP, app + "/");
    }

    private static String java() {
        return Launcher.java().get(0);
    }

    @Override
    public ProcessBuilder prepare(int port) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("SERVER_PORT", Integer.toString(port));
        return builder;
    }
}
