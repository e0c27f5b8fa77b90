// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One deliberate mistake.
 *
 * @param file from the root of the project
 * @param original what stands there; white space may differ
 * @param mutated what is to stand there instead
 * @param tests classes that must notice it, the cheapest first
 * @param rule of docs/evidence/safety-argument.md that it breaks
 * @param harm what goes wrong then
 */
record Mutant(String name, String file, String original, String mutated, List<String> tests, String rule, String harm) {

    /**
     * The text of the file with the mistake in it.
     *
     * @throws IllegalStateException if the original does not stand there exactly once
     */
    String applied(Path root) throws IOException {
        String text = Files.readString(root.resolve(file));
        Matcher matcher = anySpacing(original).matcher(text);
        int found = (int) matcher.results().count();
        if (found != 1) {
            throw new IllegalStateException(
                    "mutant " + name + ": '" + original + "' stands " + found + " times in " + file + ", not once");
        }
        return matcher.reset().replaceFirst(Matcher.quoteReplacement(mutated));
    }

    private static Pattern anySpacing(String text) {
        return Pattern.compile(
                Arrays.stream(text.split("\\s+", -1)).map(Pattern::quote).collect(Collectors.joining("\\s+")));
    }
}
