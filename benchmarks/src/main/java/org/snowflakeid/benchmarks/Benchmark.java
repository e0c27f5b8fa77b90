// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code bin/benchmark}. */
@Command(
        name = "bin/benchmark",
        mixinStandardHelpOptions = true,
        description = "Measures generators of ids side by side, each in a process of its own, and prints a table."
                + " benchmarks/README.md says how each column is measured.")
final class Benchmark implements Callable<Integer> {

    private static final long LONGEST_MINUTES = 10;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "SUBJECT",
            description = "measure these subjects, of: ${COMPLETION-CANDIDATES}; default: all",
            completionCandidates = SubjectNames.class)
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--columns",
            split = ",",
            paramLabel = "COLUMN",
            description =
                    "measure these columns, of: ${COMPLETION-CANDIDATES}; if neither columns nor subjects are named,"
                            + " those from busy-30 on are measured for few subjects, and the last for none",
            completionCandidates = ColumnNames.class)
    private List<String> columns = new ArrayList<>();

    @Option(
            names = "--mix",
            split = ",",
            paramLabel = "MIX",
            description = "what threads do between their ids, for the columns between and between-busy-30:"
                    + " virtual:1000:5:yield:12 are 1,000 virtual threads that take 5 ids, then yield, on 12 sequence"
                    + " bits; or platform, park (100 us), spin (2 us), nothing; 'all' in place of a part, or of"
                    + " everything; default: five mixes, and two on a busy machine")
    private List<String> mix = new ArrayList<>();

    @Option(
            names = "--jdk",
            paramLabel = "FOLDER",
            description = "the JDK to measure on; default: JAVA_HOME if set, else that of this command")
    private Path jdk = Path.of(System.getProperty("java.home"));

    @Option(
            names = "--patience",
            paramLabel = "WINDOWS",
            defaultValue = "12",
            description =
                    "how many windows to measure at most, while others use the machine; default: ${DEFAULT-VALUE}")
    private int patience;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "write one table and how it came about as Markdown, and all figures to a file beside it")
    private @Nullable Path report;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "draw CPU and drift under full load, and the first four mixes, if there are any")
    private @Nullable Path svg;

    @Option(names = "--date", paramLabel = "DATE", defaultValue = "", description = "the date for the report")
    private String date = "";

    @Option(
            names = "--jmh",
            arity = "0..1",
            paramLabel = "REGEX",
            fallbackValue = ".*",
            description = "measure single costs with JMH instead: all, or those whose name matches")
    private @Nullable String jmh;

    @Option(
            names = "--fairness",
            arity = "0..1",
            paramLabel = "CROWDS",
            fallbackValue = Fairness.CROWDS,
            description =
                    "measure instead how long calls wait where many threads want more ids than there are: 400p/4 is"
                            + " 400 platform threads (v: virtual) on 4 sequence bits; alone: ${FALLBACK-VALUE}")
    private @Nullable String fairness;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "4",
            description = "with --fairness: how long each crowd is measured; default: ${DEFAULT-VALUE}")
    private int seconds;

    @Option(
            names = "--pause",
            paramLabel = "MICROS",
            defaultValue = "0",
            description = "with --fairness: how long a thread sleeps after each id; default: ${DEFAULT-VALUE}")
    private int pauseMicros;

    @Option(names = "--commit", defaultValue = "unknown", hidden = true)
    private String commit = "";

    @Option(names = "--arguments", defaultValue = "", hidden = true)
    private String arguments = "";

    public static void main(String... arguments) {
        System.exit(run(arguments));
    }

    /** Returns the exit status. */
    static int run(String... arguments) {
        return new CommandLine(new Benchmark())
                .setOverwrittenOptionsAllowed(true)
                .execute(arguments);
    }

    @Override
    public Integer call() throws Exception {
        Path java = jdk.resolve("bin").resolve("java");
        require(Files.isExecutable(java), "--jdk: no bin/java in " + jdk);
        if (jmh != null) {
            return new ProcessBuilder(
                            java.toString(), "-cp", classPath(), "org.openjdk.jmh.Main", "SingleCosts.*" + jmh)
                    .inheritIO()
                    .start()
                    .waitFor();
        }
        if (fairness != null) {
            return new ProcessBuilder(
                            java.toString(),
                            "-cp",
                            classPath(),
                            Fairness.class.getName(),
                            Integer.toString(seconds),
                            Integer.toString(pauseMicros),
                            fairness)
                    .inheritIO()
                    .start()
                    .waitFor();
        }
        require(
                Files.exists(Path.of("/proc/self/schedstat")),
                "needs Linux: the CPU of threads and of others is read from /proc");
        require(patience >= Subject.SHORT_WINDOWS, "--patience: at least " + Subject.SHORT_WINDOWS);
        List<Subject> subjects = chosenSubjects();
        List<Column> chosen = chosenColumns();
        List<Mix> mixes = chosenMixes();
        require(
                mixes.isEmpty() || chosen.stream().anyMatch(Column::isOfMixes),
                "--mix is for the columns between and between-busy-30");
        require(svg == null || chosen.contains(Column.SATURATED), "--svg draws the column saturated");

        List<Measured> all = new ArrayList<>();
        for (Subject subject : subjects) {
            List<Column> asked = chosen.stream()
                    .filter(subject.columns()::contains)
                    .filter(column -> isAsked(subject, column))
                    .toList();
            if (!asked.isEmpty()) {
                all.add(measure(java, subject, asked, mixes));
            }
        }
        ResultTable table = new ResultTable(all);
        System.out.println(table.markdown());
        if (report != null) {
            new Report(all, table, commit, date, arguments.strip()).write(report);
        }
        if (svg != null) {
            Files.writeString(svg, new Picture(all).svg());
        }
        return table.isSound() ? 0 : 1;
    }

    private void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private List<Subject> chosenSubjects() {
        List<String> known = new SubjectNames();
        only.forEach(name -> require(known.contains(name), "--only: no subject '" + name + "', only " + known));
        return Subjects.ALL.stream()
                .filter(subject -> only.isEmpty() || only.contains(subject.name()))
                .toList();
    }

    private List<Column> chosenColumns() {
        List<String> known = new ColumnNames();
        columns.forEach(name -> require(known.contains(name), "--columns: no column '" + name + "', only " + known));
        return Stream.of(Column.values())
                .filter(column -> columns.isEmpty() || columns.contains(column.toString()))
                .toList();
    }

    private List<Mix> chosenMixes() {
        try {
            return mix.stream()
                    .flatMap(text -> Mix.parseAll(text).stream())
                    .distinct()
                    .toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--mix: " + e.getMessage(), e);
        }
    }

    /** What takes long is left out for most, unless something is named. */
    private boolean isAsked(Subject subject, Column column) {
        return !column.isLong()
                || !only.isEmpty()
                || !columns.isEmpty()
                || (subject.compared() && column != Column.BACK_BUSY_30);
    }

    private Measured measure(Path java, Subject subject, List<Column> asked, List<Mix> mixes)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Path output = Files.createTempFile("benchmark", ".txt");
        try {
            List<String> command = new ArrayList<>(List.of(
                    java.toString(),
                    "-cp",
                    classPath(),
                    MeasuredProcess.class.getName(),
                    subject.name(),
                    asked.stream().map(Column::toString).collect(Collectors.joining(",")),
                    Integer.toString(subject.leastWindows()),
                    Integer.toString(patience)));
            mixes.forEach(each -> command.add(each.toString()));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(LONGEST_MINUTES + mixes.size(), TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
            }
            List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
            System.err.printf(
                    "%s: %d s%n",
                    subject.name(), Duration.ofNanos(System.nanoTime() - begin).toSeconds());
            if (process.exitValue() != 0) {
                throw new IllegalStateException("the process of " + subject.name() + " ended with "
                        + process.exitValue() + ":\n" + String.join("\n", lines));
            }
            return Measured.read(subject, lines);
        } finally {
            Files.delete(output);
        }
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    private static final class SubjectNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        SubjectNames() {
            super(Subjects.ALL.stream().map(Subject::name).toList());
        }
    }

    private static final class ColumnNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        ColumnNames() {
            super(Stream.of(Column.values()).map(Column::toString).toList());
        }
    }
}
