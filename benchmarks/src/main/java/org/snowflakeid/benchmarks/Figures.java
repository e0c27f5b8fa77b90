// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The figures of one subject by name, such as {@code solo} or {@code saturated-4.cpu}; passed between processes as lines. */
final class Figures {

    private static final String PREFIX = "figure ";

    private final Map<String, Figure> byName = new LinkedHashMap<>();

    void put(String name, Figure figure) {
        byName.put(name, figure);
    }

    /** All of others, each name with a prefix. */
    void putAll(String prefix, Figures others) {
        others.byName.forEach((name, figure) -> put(prefix + name, figure));
    }

    Stream<String> names() {
        return byName.keySet().stream();
    }

    Optional<Figure> get(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    String lines() {
        StringBuilder lines = new StringBuilder();
        byName.forEach((name, figure) -> lines.append(PREFIX)
                .append(String.join(
                        " ",
                        name,
                        Double.toString(figure.value()),
                        Double.toString(figure.low()),
                        Double.toString(figure.high()),
                        Double.toString(figure.others())))
                .append('\n'));
        return lines.toString();
    }

    /** Takes in what {@link #lines()} gave, line by line; says whether this was one. */
    boolean read(String line) {
        if (!line.startsWith(PREFIX)) {
            return false;
        }
        String[] parts = line.substring(PREFIX.length()).split(" ", -1);
        put(
                parts[0],
                new Figure(
                        Double.parseDouble(parts[1]),
                        Double.parseDouble(parts[2]),
                        Double.parseDouble(parts[3]),
                        Double.parseDouble(parts[4])));
        return true;
    }
}
