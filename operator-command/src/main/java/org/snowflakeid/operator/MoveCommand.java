// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.administration.NamespaceMove;
import org.snowflakeid.administration.NamespaceMove.Stage;
import org.snowflakeid.administration.NamespaceReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "move",
        mixinStandardHelpOptions = true,
        description = "Moves a namespace to another coordinator, name or layout, such that no id repeats.",
        footer = {
            "",
            "From etcd to a folder, say:",
            "  snowflake-operator move --from snowflake.etcd.endpoints=http://etcd-1:2379 \\",
            "                          --to snowflake.file.directory=/var/lib/snowflake",
            "",
            Replacement.ACCOUNT
        })
final class MoveCommand implements Callable<Integer> {

    private final Dialogue dialogue;
    private final Map<String, String> environment;

    @Mixin
    private SettingsOptions common = new SettingsOptions();

    @Mixin
    private Replacement replacement = new Replacement();

    @Option(
            names = "--from",
            paramLabel = "FILE|KEY=VALUE",
            description = "Settings up to now, before those given for both. Can be repeated.")
    private List<String> from = new ArrayList<>();

    @Option(
            names = "--to",
            required = true,
            paramLabel = "FILE|KEY=VALUE",
            description = "Settings from now on, before those given for both. Can be repeated.")
    private List<String> to = new ArrayList<>();

    MoveCommand(Dialogue dialogue, Map<String, String> environment) {
        this.dialogue = dialogue;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        GivenSettings givenFrom = given(from, "--from ");
        GivenSettings givenTo = given(to, "--to ");
        try (GivenNamespace old = new GivenNamespace(givenFrom, common.generator());
                GivenNamespace successor = new GivenNamespace(givenTo, common.generator())) {
            GivenSettings.requireAllRead(givenFrom, givenTo);
            Stream.of(givenFrom, givenTo)
                    .flatMap(given -> given.remarks().stream())
                    .distinct()
                    .forEach(dialogue::complain);
            replacement.requireMeant(old, givenFrom, givenTo);
            NamespaceReport before = old.show(dialogue).report();
            dialogue.say("");
            NamespaceReport there = successor.show(dialogue).report();
            NamespaceMove move = old.administration().prepareMove(successor.administration());
            if (move.stage() == Stage.FINISHED) {
                dialogue.say("It has moved already, nothing is left to be done. No id there is dated before "
                        + move.firstIds());
                return OperatorCommand.DONE;
            }
            int exitCode = replacement.run(
                    dialogue,
                    before,
                    "Go on, and move it to " + successor.described(there) + "?",
                    steps(move, old, successor.layout()),
                    move.doubts(),
                    move.recordsInDoubt(),
                    move::carryOut,
                    "Moved.");
            if (exitCode == OperatorCommand.DONE) {
                dialogue.say("Moved to " + successor.describedWithId() + ": deploy exactly these settings.");
            }
            return exitCode;
        }
    }

    private static List<String> steps(NamespaceMove move, GivenNamespace old, SnowflakeLayout layout) {
        if (move.stage() == Stage.IN_USE) {
            return List.of(
                    "The new namespace is in use, and has a floor of " + move.firstIds()
                            + ". What is left is to note that in the record of the old one.",
                    old.ofOneGenerator());
        }
        List<String> steps = new ArrayList<>();
        if (move.stage() != Stage.NOT_BEGUN) {
            steps.add("This move was begun and interrupted. It goes on from there.");
        }
        steps.add("The old namespace is retired: processes there issue to the end of what they have reserved, at most a"
                + " window, and then no more.");
        steps.add("The new one is created with " + ReportText.layout(layout)
                + ", and a floor above all ids of the old, as numbers: no new id is dated before " + move.firstIds());
        steps.add(old.ofOneGenerator());
        return steps;
    }

    private GivenSettings given(List<String> entries, String option) {
        GivenSettings given = common.empty(environment, option);
        Map<String, String> typed = new LinkedHashMap<>();
        for (String entry : entries) {
            int equals = entry.indexOf('=');
            if (equals > 0 && entry.startsWith("snowflake.")) {
                typed.put(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        given.typed(typed);
        for (String entry : entries) {
            if (!entry.startsWith("snowflake.") || entry.indexOf('=') < 0) {
                given.file(Path.of(entry));
            }
        }
        return common.addTo(given);
    }
}
