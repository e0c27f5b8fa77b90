// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Markdown pages of the repository. */
final class Pages {

    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private Pages() {}

    static String text(String name) throws IOException {
        return Files.readString(ROOT.resolve(name));
    }

    /** All of them, by their names from the top. */
    static List<String> names() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                boolean skipped = name.equals("target") || name.equals("src") || name.startsWith(".");
                return skipped && !directory.equals(ROOT) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    names.add(ROOT.relativize(file).toString().replace('\\', '/'));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return List.copyOf(names);
    }

    /** How many words a reader finds outside of blocks. */
    static int words(String page) throws IOException {
        return text(page).replaceAll("(?ms)^```.*?^```$", "").strip().split("\\s+").length;
    }

    /** What is between the lines that begin and end blocks of that language. */
    static List<String> blocks(String language, String page) throws IOException {
        Matcher blocks = Pattern.compile("^```" + language + "\\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(text(page));
        return blocks.results().map(block -> block.group(1)).toList();
    }
}
