// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.snowflakeid.NamespaceReplacement;
import org.snowflakeid.OperatedNamespace;
import org.snowflakeid.SnowflakeSettings;
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
            "                          --to snowflake.file.directory=/var/lib/snowflake"
        })
final class MoveCommand implements Callable<Integer> {

    private final Dialogue dialogue;
    private final Map<String, String> environment;

    @Mixin
    private SettingsOptions common = new SettingsOptions();

    @Mixin
    private Replacing replacing = new Replacing();

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
        GivenSettings givenFrom = given(from);
        GivenSettings givenTo = given(to);
        SnowflakeSettings settingsFrom = givenFrom.settings(common.generator());
        SnowflakeSettings settingsTo = givenTo.settings(common.generator());
        try (OperatedNamespace old = OperatedNamespace.open(settingsFrom);
                OperatedNamespace successor = OperatedNamespace.open(settingsTo)) {
            GivenSettings.requireAllRead(givenFrom, givenTo);
            ReportText.summary(old.report(), givenFrom.place()).forEach(dialogue::say);
            dialogue.say("");
            ReportText.summary(successor.report(), givenTo.place()).forEach(dialogue::say);
            NamespaceReplacement move = old.moveTo(successor);
            if (move.isFinished()) {
                dialogue.say("It has moved already, nothing is left to be done. No id there is dated before "
                        + move.firstIds());
                return OperatorCommand.DONE;
            }
            return replacing.run(
                    dialogue,
                    move,
                    List.of(
                            "The old namespace is retired: processes there issue to the end of what they have reserved, at"
                                    + " most a window, and then no more.",
                            "The new one is created with " + ReportText.layout(settingsTo.layout())
                                    + ", and a floor above all ids of the old, as numbers: no new id is dated before "
                                    + move.firstIds()),
                    "Moved.");
        }
    }

    private GivenSettings given(List<String> entries) {
        GivenSettings given = new GivenSettings(environment);
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
