// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Map;
import java.util.concurrent.Callable;
import org.snowflakeid.NamespaceReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description =
                "Shows who holds which worker id of a namespace, up to when timestamps are reserved, and its record."
                        + " Changes nothing.")
final class StatusCommand implements Callable<Integer> {

    private final Dialogue dialogue;
    private final Map<String, String> environment;

    @Mixin
    private SettingsOptions options = new SettingsOptions();

    @Option(names = "--all", description = "List also worker ids that are free.")
    private boolean all;

    StatusCommand(Dialogue dialogue, Map<String, String> environment) {
        this.dialogue = dialogue;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        GivenSettings given = options.given(environment);
        try (GivenNamespace namespace = new GivenNamespace(given, options.generator())) {
            GivenSettings.requireAllRead(given);
            NamespaceReport report = namespace.show(dialogue).report();
            ReportText.workers(report, all).forEach(dialogue::say);
        }
        return OperatorCommand.DONE;
    }
}
