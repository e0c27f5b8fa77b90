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
     * @param folder of the module with the tests
     * @param sources of the modules that are broken: the same one, if nothing else is said
     * @param tests classes; all of them run for a mutant that names none
     * @param simulation a main class that takes a domain, the first seed and the number of seeds; null: none
     * @param domains of the simulation, and how many seeds of each
     */
    record Suite(
            String folder,
            List<String> sources,
            List<String> tests,
            @Nullable String simulation,
            Map<String, Integer> domains) {

        /** All of them, or none. */
        private List<String> named(List<String> simpleNames) {
            List<String> found = simpleNames.stream()
                    .flatMap(name -> tests.stream().filter(test -> test.endsWith("." + name)))
                    .toList();
            return found.size() == simpleNames.size() ? found : List.of();
        }

        private boolean breaks(String file) {
            return sources.stream().anyMatch(module -> file.startsWith(module + "/"));
        }
    }

    static MutantTable read(Path root) throws IOException {
        List<Suite> suites = new ArrayList<>();
        List<Mutant> mutants = new ArrayList<>();
        for (Map<String, String> paragraph :
                paragraphs(Files.readAllLines(root.resolve("verification/mutants/mutants.txt")))) {
            if (paragraph.containsKey("module")) {
                String folder = take(paragraph, "module");
                String sources = paragraph.remove("sources");
                suites.add(new Suite(
                        folder,
                        List.of((sources == null ? folder : sources).split(" ", -1)),
                        List.of(take(paragraph, "tests").split(" ", -1)),
                        paragraph.remove("simulation"),
                        domains(paragraph.remove("seeds"))));
            } else {
                mutants.add(mutant(paragraph, suites));
            }
            if (!paragraph.isEmpty()) {
                throw new IllegalStateException("unknown keys in mutants.txt: " + paragraph);
            }
        }
        return new MutantTable(suites, mutants);
    }

    private static Mutant mutant(Map<String, String> paragraph, List<Suite> suites) {
        String name = take(paragraph, "mutant");
        String file = take(paragraph, "file");
        String tests = paragraph.remove("tests");
        List<String> killers = suites.stream()
                .filter(suite -> suite.breaks(file))
                .map(suite -> tests == null ? suite.tests() : suite.named(List.of(tests.split(" ", -1))))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "mutant " + name + ": no module of mutants.txt has these tests: " + tests));
        return new Mutant(
                name,
                file,
                take(paragraph, "original"),
                take(paragraph, "mutated"),
                killers,
                take(paragraph, "rule"),
                take(paragraph, "harm"));
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
                .filter(suite -> suite.breaks(mutant.file()) && suite.tests().containsAll(mutant.tests()))
                .findFirst()
                .orElseThrow();
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
