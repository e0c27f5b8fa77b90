// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Map;
import java.util.concurrent.Callable;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.CoordinatorCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description =
                "Says whether the coordinator keeps what unique ids rest on: on the server that the settings name, in a"
                        + " namespace of its own, usually within two minutes. The namespace of the application stays as it is.")
final class CheckCommand implements Callable<Integer> {

    private final Dialogue dialogue;
    private final Map<String, String> environment;

    @Mixin
    private SettingsOptions options = new SettingsOptions();

    CheckCommand(Dialogue dialogue, Map<String, String> environment) {
        this.dialogue = dialogue;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        GivenSettings given = options.given(environment);
        SnowflakeSettings settings = given.settings(options.generator());
        given.requireCoordinator();
        try (CoordinatorCheck check = new CoordinatorCheck(settings)) {
            GivenSettings.requireAllRead(given);
            given.warnings().forEach(dialogue::complain);
            // First, so that it is known whatever ends the check.
            dialogue.say("Checking " + settings.coordinator().orElse("?") + ", " + given.place()
                    + ". Records are written below " + check.namespace() + ", which nothing else uses.");
            boolean kept = check.run(finding -> dialogue.say((finding.broken().isEmpty() ? "passed  " : "BROKEN  ")
                    + finding.promise()
                    + finding.broken().map(seen -> ": " + seen).orElse("")));
            dialogue.say(
                    kept
                            ? "All promises are kept. Whether a commit outlives a crash of the server was not looked at."
                            : "Do not use this coordinator as it is: ids may repeat, or there may be none.");
            dialogue.say("Left behind: some records below " + check.namespace()
                    + (check.location().isEmpty() ? "" : " in " + check.location())
                    + ". No coordinator deletes any; delete them, or leave them.");
            dialogue.requireSaid();
            return kept ? OperatorCommand.DONE : OperatorCommand.FAILED;
        }
    }
}
