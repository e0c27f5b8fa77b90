// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.compare.instance.Instance;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code bin/compare}. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs ours and other generators, each in processes of its own and on a real coordinator, through the same schedule of faults. Every id is recorded; tables say what was issued twice, out of order, or not at all.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:the comparison was made, whatever it shows", "1:it could not be made", "2:an option is wrong"
        })
public final class Compare implements Callable<Integer> {
    /** How long all chapters take, with the starts of their processes. */
    private static final double MINUTES_OF_A_ROUND = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--only", split = ",", description = "generators, by name (default: all; --list shows them)")
    private List<String> only = List.of();

    @Option(names = "--list", description = "shows the generators, and ends")
    private boolean list;

    @Option(
            names = "--chapters",
            split = ",",
            description = "parts of the schedule (default: all): ${COMPLETION-CANDIDATES}")
    private List<Chapter> chapters = List.of(Chapter.values());

    @Option(names = "--seed", defaultValue = "1", description = "of the schedule (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--minutes",
            defaultValue = "3",
            description =
                    "for each generator, about; the schedule is repeated with other times every 3 minutes (default: ${DEFAULT-VALUE})")
    private double minutes;

    @Option(
            names = "--report",
            description =
                    "Markdown file to write, with a CSV file beside it (default: report.md beside the recordings)")
    private @Nullable Path report;

    @Option(
            names = "--directory",
            description =
                    "for recordings and logs; new or empty (default: a temporary one, deleted if --report is given)")
    private @Nullable Path directory;

    @Option(
            names = "--modules",
            hidden = true,
            required = true,
            description = "where the modules of the generators are")
    private Path modules = Path.of("");

    @Option(names = "--commit", hidden = true, defaultValue = "unknown")
    private String commit = "";

    @Option(names = "--arguments", hidden = true, defaultValue = "")
    private String arguments = "";

    static CommandLine commandLine() {
        return new CommandLine(new Compare()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    public static void main(String... arguments) {
        System.exit(commandLine().execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (list) {
            Subjects.ALL.forEach(subject -> System.out.printf("%-16s %s%n", subject.name(), subject.title()));
            return 0;
        }
        List<Subject> subjects = subjects();
        List<Chapter.Plan> plans = plans();
        Path files = directory == null ? Files.createTempDirectory("compare-") : directory.toAbsolutePath();
        System.out.println("Seed " + seed + ", files in " + files);
        Instant began = Instant.now();
        List<Report.Result> results = new ArrayList<>();
        for (Subject subject : subjects) {
            Trial trial = new Trial(subject, jar(subject), files.resolve(subject.name()), System.out);
            Report.Result result = Report.Result.of(trial.run(plans));
            if (result.findings().all().ids == 0) {
                throw new IllegalStateException(
                        "no process of " + subject.name() + " got an id, its logs are in " + files);
            }
            results.add(result);
        }
        Report written = new Report(run(began), plans, results);
        Path markdown = report == null ? files.resolve("report.md") : report;
        String data = String.valueOf(markdown.getFileName()).replaceAll("\\.md$", "") + ".csv";
        Files.writeString(markdown, written.markdown(data));
        Files.write(markdown.resolveSibling(data), new RawData(written).csv());
        System.out.println();
        System.out.print(written.tables());
        boolean keep = directory != null || report == null;
        if (!keep) {
            delete(files);
        }
        System.out.println("Report: " + markdown + (keep ? ", files: " + files : ""));
        return 0;
    }

    private List<Subject> subjects() {
        try {
            return only.isEmpty()
                    ? Subjects.ALL
                    : only.stream().map(Subjects::named).toList();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private List<Chapter.Plan> plans() {
        int rounds = (int) Math.max(1, Math.round(minutes / MINUTES_OF_A_ROUND));
        return IntStream.range(0, rounds)
                .boxed()
                .flatMap(round -> chapters.stream().sorted().map(chapter -> chapter.plan(seed, round)))
                .toList();
    }

    private List<String> jar(Subject subject) {
        Path jar = modules.resolve(subject.module()).resolve("target").resolve("generator.jar");
        return List.of("-cp", jar.toAbsolutePath().toString(), Instance.class.getName());
    }

    private String run(Instant began) {
        return "`bin/compare" + (arguments.isBlank() ? "" : " " + arguments.strip()) + "`, begun "
                + began.toString().substring(0, 16) + "Z, took "
                + Duration.between(began, Instant.now()).toMinutes() + " minutes. Commit " + commit + ", seed " + seed
                + ".\n" + System.getProperty("os.name") + ", "
                + Runtime.getRuntime().availableProcessors()
                + " processors, JDK " + Runtime.version() + ".\n";
    }

    private static void delete(Path files) throws IOException {
        try (Stream<Path> all = Files.walk(files)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
