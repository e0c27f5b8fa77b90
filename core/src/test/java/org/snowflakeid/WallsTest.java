// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The walls between the rooms of core, checked by imports. On the class path the compiler doesn't enforce them. */
class WallsTest {

    private static final Path SOURCES = Path.of("src/main/java/org/snowflakeid");

    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?org\\.snowflakeid\\.([a-z]+)\\.\\w[\\w.]*;");

    /** By room: what it must not know. */
    private static final Map<String, List<String>> WALLS = Map.of(
            "ids", List.of("keeper", "claim", "records", "resume", "spi"),
            "lease", List.of("ids", "keeper", "claim", "records", "resume", "spi"),
            "keeper", List.of("ids", "resume"),
            "claim", List.of("ids", "keeper", "resume"),
            "records", List.of("ids", "lease", "keeper", "claim", "resume"),
            "resume", List.of("ids", "keeper"),
            "config", List.of("ids", "lease", "keeper", "claim", "records", "resume"),
            "files", List.of("ids", "lease", "keeper", "claim", "records", "resume", "config", "spi"),
            "spi", List.of("ids", "lease", "keeper", "claim", "records", "resume"));

    private static final List<String> ENGINE = List.of("ids", "lease", "keeper", "claim", "records", "resume");

    static Stream<Map.Entry<String, List<String>>> walls() {
        return WALLS.entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("walls")
    void noRoomReachesThroughAWall(Map.Entry<String, List<String>> wall) throws IOException {
        List<String> imports = new ArrayList<>();
        try (Stream<Path> files = Files.list(SOURCES.resolve(wall.getKey()))) {
            for (Path file : files.toList()) {
                imports.addAll(imports(file, wall.getValue()));
            }
        }

        assertThat(imports).isEmpty();
    }

    @Test
    void eachRoomHasItsWalls() throws IOException {
        try (Stream<Path> rooms = Files.list(SOURCES).filter(Files::isDirectory)) {
            assertThat(rooms.map(room -> room.getFileName().toString())).hasSameElementsAs(WALLS.keySet());
        }
    }

    @Test
    void applicationsGetNothingOfTheEngine() throws Exception {
        List<String> handedOut = new ArrayList<>();
        try (Stream<Path> files = Files.list(SOURCES).filter(Files::isRegularFile)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                if (!name.equals("package-info")) {
                    Class<?> type = Class.forName("org.snowflakeid." + name);
                    for (var method : type.getMethods()) {
                        String signature = method.toGenericString();
                        ENGINE.stream()
                                .filter(room -> signature.contains("org.snowflakeid." + room + "."))
                                .forEach(room -> handedOut.add(signature));
                    }
                }
            }
        }

        assertThat(handedOut).isEmpty();
    }

    @Test
    void onlyTheAdministrationReadsStoredLinesFromOutside() throws IOException {
        List<String> imports = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.map(each -> each.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                if (module.startsWith("../core")) {
                    continue;
                }
                List<String> closed = new ArrayList<>(ENGINE);
                if (module.startsWith("../administration")) {
                    closed.remove("records");
                }
                try (Stream<Path> files =
                        Files.walk(module).filter(file -> file.toString().endsWith(".java"))) {
                    for (Path file : files.toList()) {
                        imports.addAll(imports(file, closed));
                    }
                }
            }
        }

        // The operator's command shows the state of a namespace.
        imports.removeIf(line -> line.startsWith("../operator-command/") && line.endsWith(".records.NamespaceState;"));
        assertThat(imports).isEmpty();
    }

    private static List<String> imports(Path file, List<String> rooms) throws IOException {
        List<String> found = new ArrayList<>();
        for (Matcher line = IMPORT.matcher(Files.readString(file)); line.find(); ) {
            if (rooms.contains(line.group(1))) {
                found.add(file + ": " + line.group());
            }
        }
        return found;
    }
}
