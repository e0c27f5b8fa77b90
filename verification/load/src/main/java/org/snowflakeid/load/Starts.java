// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.snowflakeid.load.LoadReport.Figure;

/** How long a fresh process takes to its first id, one after another. */
final class Starts {

    static final String MEDIAN = "median ms";

    private record Start(long millis, long processorMillis, long mebibytes) {}

    private Starts() {}

    static List<Figure> measure(MeasuredServer server, int times) throws IOException, InterruptedException {
        return measure(List.of(), server.settings(), times);
    }

    /** The same where the JVM keeps what it has loaded in an archive, which the first process writes when it ends. */
    static List<Figure> measureWithArchive(MeasuredServer server, int times) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("archive");
        Path archive = folder.resolve("classes.jsa");
        List<String> options = List.of("-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + archive);
        try {
            return measure(options, server.settings(), times);
        } finally {
            Files.deleteIfExists(archive);
            Files.delete(folder);
        }
    }

    private static List<Figure> measure(List<String> options, Map<String, String> settings, int times)
            throws IOException, InterruptedException {
        // The first one brings files into memory and creates the namespace.
        start(options, settings);
        List<Start> starts = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            starts.add(start(options, settings));
        }
        LongSummaryStatistics millis = starts.stream().mapToLong(Start::millis).summaryStatistics();
        return List.of(
                Figure.of("starts", "%d", times),
                Figure.of(MEDIAN, "%d", median(starts, Start::millis)),
                Figure.of("least ms", "%d", millis.getMin()),
                Figure.of("most ms", "%d", millis.getMax()),
                Figure.of("processor ms", "%d", median(starts, Start::processorMillis)),
                Figure.of("memory MiB", "%d", median(starts, Start::mebibytes)));
    }

    private static long median(List<Start> starts, ToLongFunction<Start> figure) {
        return starts.stream().mapToLong(figure).sorted().toArray()[starts.size() / 2];
    }

    private static Start start(List<String> options, Map<String, String> settings)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-cp", System.getProperty("java.class.path")));
        command.addAll(options);
        settings.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.add(FirstId.class.getName());
        command.add(Long.toString(System.currentTimeMillis()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        String figures = output.lines()
                .filter(line -> line.startsWith("first "))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no id; run again by hand: " + String.join(" ", command)));
        String[] parts = figures.split(" ", -1);
        return new Start(Long.parseLong(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3]));
    }
}
