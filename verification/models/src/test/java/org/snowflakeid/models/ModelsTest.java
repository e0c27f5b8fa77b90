// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.models;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ModelsTest {

    private static final Path SPECS = Path.of("specs");

    private final Tlc tlc = new Tlc(SPECS, Path.of("target/tlc"), Duration.ofMinutes(10));

    static List<Model> models() throws IOException {
        return Model.all(Path.of("README.md"));
    }

    static Stream<Model> smallModels() throws IOException {
        return models().stream().filter(Model::small);
    }

    static Stream<Model> nightlyModels() throws IOException {
        return models().stream().filter(Model::nightly);
    }

    @ParameterizedTest
    @MethodSource("smallModels")
    void endsAsTheReadmeSays(Model model) throws Exception {
        runs(model);
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("nightlyModels")
    void endsAsTheReadmeSaysWhereItTakesLonger(Model model) throws Exception {
        runs(model);
    }

    private void runs(Model model) throws Exception {
        Result seen = tlc.run(model);

        assertThat(seen).as("see verification/models/%s", tlc.output(model)).isEqualTo(model.expected());
    }

    @Test
    void aModelThatCannotBeReadIsNotTakenForABrokenOne() throws Exception {
        Model mixedUp = new Model("Move", "safe_small", new Result.Broken("NoDup", 1), true, false);

        assertThat(tlc.run(mixedUp)).isInstanceOf(Result.Unfinished.class);
    }

    @Test
    void theReadmeListsEveryConfigurationOnce() throws IOException {
        List<String> listed = models().stream().map(Model::configuration).toList();

        assertThat(listed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(names(".cfg"));
    }

    @Test
    void theReadmeListsEverySpec() throws IOException {
        Set<String> listed = models().stream().map(Model::spec).collect(Collectors.toCollection(TreeSet::new));

        assertThat(listed).isEqualTo(names(".tla"));
    }

    @Test
    void everyBrokenModelIsToldInPlainWordsWithAllItsSteps() throws IOException {
        Matcher heading = Pattern.compile("^### `(\\w+)`\n(.*?)(?=^#|\\z)", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(Path.of("COUNTEREXAMPLES.md")));
        Set<String> told = new TreeSet<>();
        while (heading.find()) {
            long steps = Pattern.compile("^\\d+\\. ", Pattern.MULTILINE)
                    .matcher(heading.group(2))
                    .results()
                    .count();
            told.add(heading.group(1) + " " + steps);
        }

        Set<String> broken = models().stream()
                .filter(model -> model.expected() instanceof Result.Broken)
                .map(model -> model.configuration() + " " + ((Result.Broken) model.expected()).steps())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(told).isEqualTo(broken);
    }

    private static Set<String> names(String ending) throws IOException {
        try (Stream<Path> files = Files.list(SPECS)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ending))
                    .map(name -> name.substring(0, name.length() - ending.length()))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
