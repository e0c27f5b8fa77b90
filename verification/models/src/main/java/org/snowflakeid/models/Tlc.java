// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.models;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** TLC, each run in a JVM of its own, since it keeps everything in static fields. */
final class Tlc {

    // As TLC ends; anything else (150 and up: a spec or configuration it can't read) is unfinished.
    private static final int ALL_HELD = 0;
    private static final int INVARIANT_BROKEN = 12;

    private static final Pattern STATES = Pattern.compile("(\\d+) distinct states found, 0 states left on queue");
    private static final Pattern INVARIANT = Pattern.compile("Error: Invariant (\\w+) is violated\\.");
    private static final Pattern STATE_OF_TRACE = Pattern.compile("^State \\d+: ", Pattern.MULTILINE);

    private final Path specs;
    private final Path outputs;
    private final Duration limit;

    /**
     * @param specs folder of the specs and configurations
     * @param outputs folder for what TLC says
     * @param limit of a run
     */
    Tlc(Path specs, Path outputs, Duration limit) {
        this.specs = specs;
        this.outputs = outputs;
        this.limit = limit;
    }

    /** Where what TLC said is found, traces too. */
    Path output(Model model) {
        return outputs.resolve(model.configuration() + ".txt");
    }

    Result run(Model model) throws IOException, InterruptedException {
        Files.createDirectories(outputs);
        Path scratch = Files.createTempDirectory(outputs, model.configuration());
        try {
            Process tlc = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-Xmx3g",
                            // TLC unpacks its standard modules there, under fixed names.
                            "-Djava.io.tmpdir=" + scratch,
                            "-cp",
                            jar().toString(),
                            "tlc2.TLC",
                            "-nowarning",
                            // One, so that it is always the same trace, and a shortest one.
                            "-workers",
                            "1",
                            "-metadir",
                            scratch.toString(),
                            "-config",
                            model.configuration() + ".cfg",
                            model.spec() + ".tla"))
                    .directory(specs.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output(model).toFile())
                    .start();
            try {
                if (!tlc.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                    return new Result.Unfinished("not within " + limit);
                }
            } finally {
                tlc.destroyForcibly().waitFor();
            }
            return result(tlc.exitValue(), Files.readString(output(model)));
        } finally {
            delete(scratch);
        }
    }

    private static Result result(int status, String said) {
        Matcher states = STATES.matcher(said);
        if (status == ALL_HELD && states.find()) {
            return new Result.Holds(Long.parseLong(states.group(1)));
        }
        Matcher invariant = INVARIANT.matcher(said);
        if (status == INVARIANT_BROKEN && invariant.find()) {
            int trace = (int) STATE_OF_TRACE.matcher(said).results().count();
            return new Result.Broken(invariant.group(1), trace - 1);
        }
        String errors =
                said.lines().filter(line -> line.startsWith("Error:")).limit(2).reduce("", (a, b) -> a + " " + b);
        return new Result.Unfinished("TLC ended with " + status + "." + errors);
    }

    private static Path jar() {
        try {
            return Path.of(tlc2.TLC
                    .class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
