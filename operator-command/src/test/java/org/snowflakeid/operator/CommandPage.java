// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A page of the documentation whose blocks of commands can be run: those that begin with {@code ```sh}. */
final class CommandPage {

    /** @param only the coordinator that it is for; empty: for all */
    record Block(String only, String commands) {}

    private final String name;
    private final String text;
    private final Map<String, List<Block>> sections = new LinkedHashMap<>();

    CommandPage(String name) {
        this.name = name;
        try {
            text = Files.readString(Path.of("../docs", name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String section = "";
        String only = "";
        List<String> block = null;
        for (String line : text.split("\n", -1)) {
            if (block == null && line.startsWith("#")) {
                section = line.replaceFirst("#+ ", "");
            } else if (block == null && (line.equals("```sh") || line.startsWith("```sh "))) {
                only = line.substring(5).strip();
                block = new ArrayList<>();
            } else if (block != null && line.equals("```")) {
                sections.computeIfAbsent(section, key -> new ArrayList<>())
                        .add(new Block(only, String.join("\n", block)));
                block = null;
            } else if (block != null) {
                block.add(line);
            }
        }
    }

    String name() {
        return name;
    }

    String text() {
        return text;
    }

    /** Those that have commands. */
    List<String> sections() {
        return List.copyOf(sections.keySet());
    }

    /** What the page says to type there. */
    List<Block> commands(String section, String coordinator) {
        return sections.getOrDefault(section, List.of()).stream()
                .filter(block -> block.only().isEmpty() || block.only().equals(coordinator))
                .toList();
    }
}
