// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
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

    @Option(
            names = "--watch",
            arity = "0..1",
            fallbackValue = "5",
            paramLabel = "SECONDS",
            description =
                    "Look again every so many seconds (5), and show what changed, until Ctrl-C ends it. A coordinator that"
                            + " can't be read does not.")
    private @Nullable Integer pauseSeconds;

    @Option(
            names = "--json",
            description =
                    "For programs: one line of JSON, with all worker ids that were ever claimed; with --watch one line each"
                            + " time. Ids and ticks are strings.")
    private boolean json;

    private boolean warned;

    StatusCommand(Dialogue dialogue, Map<String, String> environment) {
        this.dialogue = dialogue;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        // Once: what comes by a pipe can't be read again, and a file may be about to be replaced.
        GivenSettings given = options.given(environment);
        StatusView view = json ? new JsonView(dialogue) : new TextView(dialogue, all);
        if (pauseSeconds == null) {
            try (GivenNamespace namespace = open(given)) {
                view.show(null, SeenNamespace.at(namespace.administration()), namespace);
            }
            dialogue.requireSaid();
            return OperatorCommand.DONE;
        }
        if (pauseSeconds < 1 || pauseSeconds > 3_600) {
            throw GivenSettings.invalid("--watch=" + pauseSeconds + " is not between 1 and 3600 seconds.");
        }
        try (WatchedNamespace namespace = new WatchedNamespace(() -> open(given))) {
            new Watch(namespace, view, dialogue).run(Duration.ofSeconds(pauseSeconds));
        }
        return OperatorCommand.DONE;
    }

    /** Once, though the namespace is opened again and again. */
    private void warn(List<String> warnings) {
        if (!warned) {
            warnings.forEach(dialogue::complain);
            warned = true;
        }
    }

    private GivenNamespace open(GivenSettings given) {
        GivenNamespace namespace = new GivenNamespace(given, options.generator());
        try {
            GivenSettings.requireAllRead(given);
            warn(given.warnings());
            return namespace;
        } catch (InvalidSettingsException e) {
            namespace.close();
            throw e;
        }
    }
}
