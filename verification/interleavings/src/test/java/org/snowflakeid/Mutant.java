// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;

/** Core with a mistake in it: source text of one class replaced, and compiled again. */
record Mutant(String what, Class<?> type, List<String> replacements) {

    private static final Path SOURCES = Path.of("../../core/src/main/java");

    /** @param replacements what stands in the source exactly once, each followed by what to put in its place */
    static Mutant of(String what, Class<?> type, String... replacements) {
        return new Mutant(what, type, List.of(replacements));
    }

    /** Returns the folder of the class files. */
    Path compile(Path folder) throws IOException {
        String className = type.getSimpleName();
        String source = Files.readString(SOURCES.resolve(type.getName().replace('.', '/') + ".java"));
        for (int i = 0; i < replacements.size(); i += 2) {
            int at = source.indexOf(replacements.get(i));
            if (at < 0 || source.indexOf(replacements.get(i), at + 1) >= 0) {
                throw new IllegalStateException(
                        "'" + replacements.get(i) + "' does not stand exactly once in " + className + ".java");
            }
            source = source.replace(replacements.get(i), replacements.get(i + 1));
        }
        Path file = Files.createDirectories(folder.resolve("source")).resolve(className + ".java");
        Files.writeString(file, source);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        OutputStream.nullOutputStream(),
                        messages,
                        "-nowarn",
                        "-proc:none",
                        "-g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        classes.toString(),
                        file.toString());
        if (status != 0) {
            throw new IllegalStateException(messages.toString(StandardCharsets.UTF_8));
        }
        return classes;
    }
}
