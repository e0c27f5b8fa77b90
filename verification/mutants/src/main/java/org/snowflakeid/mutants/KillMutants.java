// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.mutants.Laboratory.Outcome;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code bin/mutants}. */
@Command(
        name = "bin/mutants",
        mixinStandardHelpOptions = true,
        description = "Breaks the protocol's rules one by one in a copy of the code and shows which test notices."
                + " Fails if one goes unnoticed, or if an original is no longer in the code.")
final class KillMutants implements Callable<Integer> {

    @Option(names = "--root", description = "the project", required = true, hidden = true)
    private Path root = Path.of("");

    @Option(names = "--commit", defaultValue = "unknown", hidden = true)
    private String commit = "";

    @Option(names = "--check", description = "only look whether all originals are in the code")
    private boolean checkOnly;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "write the result as Markdown, with a CSV file beside it")
    private @Nullable Path report;

    @Option(
            names = "--effort",
            paramLabel = "PERCENT",
            defaultValue = "0",
            description = "let core's simulation try so many of its seeds, too; default: none")
    private int effort;

    @Parameters(paramLabel = "NAME", description = "only these mutants")
    private List<String> names = new ArrayList<>();

    private final MutantsReport written = new MutantsReport();
    private int survivors;

    public static void main(String... arguments) {
        System.exit(new CommandLine(new KillMutants()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        MutantTable table = MutantTable.read(root);
        List<Mutant> chosen = table.mutants().stream()
                .filter(mutant -> names.isEmpty() || names.contains(mutant.name()))
                .toList();
        for (Mutant mutant : chosen) {
            mutant.applied(root);
        }
        if (checkOnly) {
            System.out.println(chosen.size() + " mutants apply");
            return 0;
        }
        Path work = Files.createTempDirectory("mutants");
        try {
            Laboratory laboratory = new Laboratory(root, work);
            requireHealth(table, chosen, laboratory);
            for (Mutant mutant : chosen) {
                kill(table.suiteOf(mutant), mutant, laboratory);
            }
        } finally {
            Laboratory.delete(work);
        }
        System.out.println(chosen.size() - survivors + " of " + chosen.size() + " mutants killed");
        if (report != null) {
            written.write(report, effort, commit);
        }
        return survivors == 0 ? 0 : 1;
    }

    /** A test that fails anyway kills nothing. */
    private void requireHealth(MutantTable table, List<Mutant> chosen, Laboratory laboratory) throws Exception {
        Map<MutantTable.Suite, Outcome> seen = new HashMap<>();
        for (Mutant mutant : chosen) {
            MutantTable.Suite suite = table.suiteOf(mutant);
            if (!seen.containsKey(suite)) {
                Path classes = laboratory.classes(suite, null);
                Outcome outcome = laboratory.test(suite, testsOf(suite, table, chosen), classes);
                if (outcome.killer() == null && suite.simulation() != null && effort > 0) {
                    outcome = laboratory.simulate(suite, classes, Math.min(effort, 10));
                }
                if (outcome.killer() != null) {
                    throw new IllegalStateException(suite.folder() + " fails without any mutant: " + outcome.killer()
                            + ", " + shortened(outcome.how(), 200));
                }
                seen.put(suite, outcome);
                System.out.printf(
                        "%s: its tests pass in %d s%n",
                        suite.folder(), outcome.took().toSeconds());
            }
        }
    }

    private static List<String> testsOf(MutantTable.Suite suite, MutantTable table, List<Mutant> chosen) {
        return chosen.stream()
                .filter(mutant -> table.suiteOf(mutant).equals(suite))
                .flatMap(mutant -> mutant.tests().stream())
                .distinct()
                .toList();
    }

    private void kill(MutantTable.Suite suite, Mutant mutant, Laboratory laboratory) throws Exception {
        Path classes;
        try {
            classes = laboratory.classes(suite, mutant);
        } catch (IllegalStateException cannotBeTried) {
            // The others are tried all the same.
            survivors++;
            String reason = shortened(String.valueOf(cannotBeTried.getMessage()), 200);
            System.out.printf("%-32s can't be tried: %s%n", mutant.name(), reason);
            written.add(new MutantsReport.Row(
                    suite.folder(), mutant, true, new Outcome(null, "can't be tried", Duration.ZERO), ""));
            return;
        }
        Outcome tests = laboratory.test(suite, mutant.tests(), classes);
        String how = tests.how();
        String simulation = "";
        boolean simulated = false;
        if (suite.simulation() != null && effort > 0) {
            Outcome outcome = laboratory.simulate(suite, classes, effort);
            simulated = outcome.killer() != null;
            simulation =
                    (simulated ? outcome.killer() : "–") + " (" + outcome.took().toSeconds() + " s)";
            how = tests.killer() == null ? outcome.how() : how;
        }
        boolean survives = tests.killer() == null && !simulated;
        if (survives) {
            survivors++;
        }
        String killer = tests.killer() == null
                ? (survives ? "survives" : "the simulation")
                : tests.killer() + " (" + tests.took().toSeconds() + " s)";
        System.out.printf(
                "%-32s %s%s%n", mutant.name(), killer, simulation.isEmpty() ? "" : "; simulation: " + simulation);
        System.out.println("    " + shortened(how, 200));
        written.add(new MutantsReport.Row(suite.folder(), mutant, survives, tests, simulation));
    }

    private static String shortened(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length) + "…";
    }
}
