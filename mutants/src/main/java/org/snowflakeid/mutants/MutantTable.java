// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The mutants, and by module what must kill them: {@code mutants.txt}. It consists of paragraphs of {@code key: value} lines; a
 * line that begins with a space continues the value before; {@code #} begins a comment.
 */
record MutantTable(List<Suite> suites, List<Mutant> mutants) {

    /**
     * @param folder its place in the project
     * @param tests classes, the cheapest first
     * @param simulation a main class that takes a domain, the first seed and the number of seeds; null: none
     * @param domains of the simulation, and how many seeds of each
     */
    record Suite(
            String folder, List<String> tests, @Nullable String simulation, Map<String, Integer> domains) {}

    static MutantTable read(Path root) throws IOException {
        List<Suite> suites = new ArrayList<>();
        List<Mutant> mutants = new ArrayList<>();
        for (Map<String, String> paragraph : paragraphs(Files.readAllLines(root.resolve("mutants/mutants.txt")))) {
            if (paragraph.containsKey("module")) {
                suites.add(new Suite(
                        take(paragraph, "module"),
                        List.of(take(paragraph, "tests").split(" ", -1)),
                        paragraph.remove("simulation"),
                        domains(paragraph.remove("seeds"))));
            } else {
                mutants.add(new Mutant(
                        take(paragraph, "mutant"),
                        take(paragraph, "file"),
                        take(paragraph, "original"),
                        take(paragraph, "mutated"),
                        take(paragraph, "rule"),
                        take(paragraph, "harm")));
            }
            if (!paragraph.isEmpty()) {
                throw new IllegalStateException("unknown keys in mutants.txt: " + paragraph);
            }
        }
        return new MutantTable(suites, mutants);
    }

    private static Map<String, Integer> domains(@Nullable String text) {
        Map<String, Integer> domains = new LinkedHashMap<>();
        if (text != null) {
            for (String domain : text.split(" ", -1)) {
                String[] parts = domain.split("=", 2);
                domains.put(parts[0], Integer.parseInt(parts[1]));
            }
        }
        return domains;
    }

    Suite suiteOf(Mutant mutant) {
        return suites.stream()
                .filter(suite -> suite.folder().equals(mutant.module()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(mutant.module() + " is no module of mutants.txt"));
    }

    private static List<Map<String, String>> paragraphs(List<String> lines) {
        List<Map<String, String>> paragraphs = new ArrayList<>();
        Map<String, String> current = new HashMap<>();
        String key = "";
        for (String line : lines) {
            if (line.isBlank() && !current.isEmpty()) {
                paragraphs.add(current);
                current = new LinkedHashMap<>();
            } else if (line.startsWith(" ")) {
                current.merge(key, line.strip(), (before, more) -> (before + " " + more).strip());
            } else if (!line.isBlank() && !line.startsWith("#")) {
                int colon = line.indexOf(':');
                key = line.substring(0, Math.max(0, colon));
                if (current.put(key, line.substring(colon + 1).strip()) != null) {
                    throw new IllegalStateException("twice in one paragraph of mutants.txt: " + line);
                }
            }
        }
        if (!current.isEmpty()) {
            paragraphs.add(current);
        }
        return paragraphs;
    }

    private static String take(Map<String, String> paragraph, String key) {
        String value = paragraph.remove(key);
        if (value == null) {
            throw new IllegalStateException("no '" + key + "' in a paragraph of mutants.txt: " + paragraph);
        }
        return value;
    }
}
