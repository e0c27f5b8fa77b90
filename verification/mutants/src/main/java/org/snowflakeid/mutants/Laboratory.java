// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Where mutants are compiled and run, each in a folder and in JVMs of its own; the working tree is only read. */
final class Laboratory {

    private static final Duration LONGEST_TESTS = Duration.ofMinutes(5);
    private static final Duration LONGEST_SIMULATION = Duration.ofMinutes(10);

    private final Path root;
    private final Path work;
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

    Laboratory(Path root, Path work) {
        this.root = root;
        this.work = work;
    }

    /**
     * @param killer the test that failed or did not end; null: all passed
     * @param how what it said
     */
    record Outcome(@Nullable String killer, String how, Duration took) {}

    /** Compiles the module of a mutant with the mistake in it; null: without any mistake, and its tests too. */
    Path classes(MutantTable.Suite suite, @Nullable Mutant mutant) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : suite.sources()) {
            sources.addAll(sources(root.resolve(module).resolve("src/main/java")));
        }
        if (mutant == null) {
            Path classes = work.resolve(suite.folder());
            compile(sources, classes, dependencies(suite));
            compile(
                    sources(root.resolve(suite.folder()).resolve("src/test/java")),
                    testClasses(suite),
                    classes + File.pathSeparator + around(suite));
            return classes;
        }
        Path original = root.resolve(mutant.file());
        Path place = Files.createDirectories(work.resolve(mutant.name()));
        Path changed = place.resolve(original.getFileName());
        Files.writeString(changed, mutant.applied(root));
        if (!sources.remove(original)) {
            throw new IllegalStateException("mutant " + mutant.name() + ": no source of the module: " + original);
        }
        sources.add(changed);
        Path classes = place.resolve("classes");
        compile(sources, classes, dependencies(suite));
        return classes;
    }

    /** Without descriptors of modules: all is on the class path. */
    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("module-info.java"))
                    .collect(Collectors.toList());
        }
    }

    private void compile(List<Path> sources, Path classes, String classPath) throws IOException {
        Files.createDirectories(classes);
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of("-proc:none", "-nowarn", "-parameters", "-d", classes.toString(), "-cp", classPath);
            boolean compiled = compiler.getTask(
                            messages, manager, null, options, null, manager.getJavaFileObjectsFromPaths(sources))
                    .call();
            if (!compiled) {
                throw new IllegalStateException(classes + ": does not compile: " + messages);
            }
        }
    }

    private Path testClasses(MutantTable.Suite suite) {
        return work.resolve(suite.folder() + "-tests");
    }

    /** What the broken modules need: the first one needs none of the others. */
    private String dependencies(MutantTable.Suite suite) throws IOException {
        return dependencies(suite.sources().get(0));
    }

    private String dependencies(String folder) throws IOException {
        return Files.readString(root.resolve(folder).resolve("target/mutants.classpath"))
                .strip();
    }

    /** What the tests need beside the broken module, which must come first. */
    private String around(MutantTable.Suite suite) throws IOException {
        String own = suite.sources().contains(suite.folder())
                ? ""
                : root.resolve(suite.folder()).resolve("target/classes") + File.pathSeparator;
        return own + dependencies(suite.folder());
    }

    private String classPath(MutantTable.Suite suite, Path classes) throws IOException {
        Path module = root.resolve(suite.folder());
        return Stream.of(
                        classes,
                        testClasses(suite),
                        module.resolve("src/main/resources"),
                        module.resolve("src/test/resources"),
                        around(suite),
                        System.getProperty("java.class.path"))
                .map(Object::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    Outcome test(MutantTable.Suite suite, List<String> tests, Path classes) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(FirstFailure.class.getName()));
        arguments.addAll(tests);
        return run(suite, classes, arguments, LONGEST_TESTS, Laboratory::testFailure);
    }

    private static Outcome testFailure(List<String> lines, boolean ended, Duration took) {
        String begun = "";
        for (String line : lines) {
            if (line.startsWith(FirstFailure.FAILED)) {
                String[] parts = line.substring(FirstFailure.FAILED.length()).split(" ", 2);
                return new Outcome(parts[0], parts[1], took);
            }
            if (line.startsWith(FirstFailure.BEGUN)) {
                begun = line.substring(FirstFailure.BEGUN.length());
            }
            if (line.startsWith(FirstFailure.PASSED)) {
                return new Outcome(null, "", took);
            }
        }
        if (ended) {
            throw new IllegalStateException("the tests did not run: " + String.join("\n", lines));
        }
        return new Outcome(begun, "does not end", took);
    }

    private static final Pattern VIOLATION = Pattern.compile("(\\w+ seed \\d+): (.*)");

    /** Seed by seed, until one shows that something is wrong: {@link Outcome#killer} names it. */
    Outcome simulate(MutantTable.Suite suite, Path classes, int percent) throws IOException, InterruptedException {
        Duration took = Duration.ZERO;
        for (Map.Entry<String, Integer> domain : suite.domains().entrySet()) {
            int seeds = Math.max(1, (int) ((long) domain.getValue() * percent / 100));
            List<String> arguments =
                    List.of(String.valueOf(suite.simulation()), domain.getKey(), "0", String.valueOf(seeds));
            Outcome outcome = run(suite, classes, arguments, LONGEST_SIMULATION, Laboratory::violation);
            took = took.plus(outcome.took());
            if (outcome.killer() != null) {
                return new Outcome(outcome.killer(), outcome.how(), took);
            }
        }
        return new Outcome(null, "", took);
    }

    private static Outcome violation(List<String> lines, boolean ended, Duration took) {
        for (String line : lines) {
            Matcher matcher = VIOLATION.matcher(line);
            if (matcher.matches()) {
                return new Outcome(matcher.group(1), matcher.group(2), took);
            }
            if (line.contains("no violation")) {
                return new Outcome(null, "", took);
            }
        }
        if (ended) {
            throw new IllegalStateException("the simulation did not run: " + String.join("\n", lines));
        }
        // It may merely have been slow.
        return new Outcome(null, "", took);
    }

    private interface Reader {
        Outcome read(List<String> lines, boolean ended, Duration took);
    }

    private Outcome run(MutantTable.Suite suite, Path classes, List<String> arguments, Duration longest, Reader reader)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                // One carrier: see VirtualWorld.
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djava.util.logging.config.file=/dev/null",
                "-cp",
                classPath(suite, classes)));
        command.addAll(arguments);
        Path output = Files.createTempFile(work, "output", ".txt");
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .directory(root.resolve(suite.folder()).toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended;
        try {
            ended = process.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        return reader.read(Files.readAllLines(output), ended, took);
    }

    static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
