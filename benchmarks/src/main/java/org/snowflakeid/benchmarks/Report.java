// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** One run as a page with one table, and beside it a file with all figures. */
record Report(List<Measured> all, ResultTable table, String commit, String date, String arguments) {

    /** @param file of the page; the other is named like it, and ends with {@code .csv} */
    void write(Path file) throws IOException {
        String name = file.getFileName().toString().replaceFirst("\\.md$", "");
        Files.writeString(file, page(name + ".csv"));
        Files.writeString(file.resolveSibling(name + ".csv"), csv());
    }

    String page(String figures) throws IOException {
        return """
                # Benchmark

                Written by `bin/benchmark %s`, commit %s%s.

                - Machine: %s
                - JDK: %s, no options

                1.00/.047: share of the ceiling, core-seconds per million ids. *Pausing threads*: least and greatest share of what\
                 they want. [%s](%s) has all figures, [benchmarks](../../benchmarks/README.md) how each is measured.

                %s\
                """.formatted(
                        arguments,
                        commit,
                        date.isEmpty() ? "" : ", " + date,
                        machine(),
                        all.stream().map(Measured::jdk).distinct().collect(Collectors.joining(", ")),
                        figures,
                        figures,
                        table.summary());
    }

    String csv() {
        StringBuilder lines = new StringBuilder("generator,figure,median,least,greatest,taken by others\n");
        for (Measured measured : all) {
            Figures figures = measured.figures();
            figures.names().forEach(name -> figures.get(name).ifPresent(figure -> lines.append(String.join(
                            ",",
                            measured.subject().name(),
                            name,
                            number(figure.value()),
                            number(figure.low()),
                            number(figure.high()),
                            number(figure.others())))
                    .append('\n')));
        }
        return lines.toString();
    }

    /** Six digits say more than any measurement here. */
    private static String number(double value) {
        return Double.isFinite(value)
                ? Double.toString(Double.parseDouble(String.format(Locale.ROOT, "%.5e", value)))
                : Double.toString(value);
    }

    private static String machine() throws IOException {
        String processor = Files.readString(Path.of("/proc/cpuinfo"))
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> ", " + line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
        return Runtime.getRuntime().availableProcessors() + " processors" + processor + ", "
                + System.getProperty("os.name") + " " + System.getProperty("os.version");
    }
}
