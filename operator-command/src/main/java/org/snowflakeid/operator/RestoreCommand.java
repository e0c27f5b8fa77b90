// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.administration.NamespaceRestore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description =
                "Makes a namespace safe again whose coordinator lost data: a restored backup, a wiped disk, a forced new"
                        + " cluster, keys that were deleted or edited. The coordinator must be up again, with what is left.",
        footer = {"", Replacement.ACCOUNT})
final class RestoreCommand implements Callable<Integer> {

    private final Dialogue dialogue;
    private final Map<String, String> environment;

    @Mixin
    private SettingsOptions options = new SettingsOptions();

    @Mixin
    private Replacement replacement = new Replacement();

    RestoreCommand(Dialogue dialogue, Map<String, String> environment) {
        this.dialogue = dialogue;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        GivenSettings given = options.given(environment);
        try (GivenNamespace namespace = new GivenNamespace(given, options.generator())) {
            GivenSettings.requireAllRead(given);
            given.remarks().forEach(dialogue::complain);
            replacement.requireMeant(namespace, given);
            SeenNamespace seen = namespace.show(dialogue);
            if (!seen.exists() && !replacement.accepts(NamespaceDoubt.LOST_RECORD)) {
                dialogue.complain("Refused, nothing was changed. There is no namespace "
                        + namespace.described(seen.report())
                        + ": no record and no marks. Look whether the settings name what you mean. If they do, and the"
                        + " coordinator lost all its data, add --accept "
                        + DoubtName.of(NamespaceDoubt.LOST_RECORD) + ".");
                return OperatorCommand.FAILED;
            }
            boolean recordLost = seen.report().layout().isEmpty();
            NamespaceRestore restore = namespace.administration().prepareRestore();
            return replacement.run(
                    dialogue,
                    seen.report(),
                    "Go on?",
                    List.of(
                            recordLost
                                    ? "The record is lost. The new one has the layout configured here, which must be that of"
                                            + " the application: " + ReportText.layout(namespace.layout())
                                    : "The record is retired: from then on nothing is claimed or extended under it.",
                            "It gets a new id. Processes that still run stop at their next extension, a third of a window"
                                    + " later. Restart them.",
                            "It gets a floor above all that was or may have been reserved: no new id is dated before "
                                    + restore.firstIds(),
                            namespace.ofOneGenerator(),
                            assumption(seen.report(), namespace)),
                    restore.doubts(),
                    restore.recordsInDoubt(),
                    restore::carryOut,
                    "Restored.");
        }
    }

    /**
     * Only what an application may reserve bounds what was lost, and only the operator knows that: the record is lost, another one, or
     * an older one.
     */
    private static String assumption(NamespaceReport report, GivenNamespace namespace) {
        Duration longest = report.maxWindow()
                .filter(known -> known.compareTo(namespace.window()) > 0)
                .orElse(namespace.window());
        return "Windows of up to " + longest + " are assumed, "
                + (report.maxWindow().isPresent()
                        ? "the longer one of max-window in the record and snowflake.window="
                        : "since nothing but the settings says it: snowflake.window=")
                + namespace.window() + ", and clocks that are wrong by no more than " + namespace.maxSkew()
                + ". If an application of this namespace has a longer window, or allows clocks to be more wrong, ids may"
                + " repeat: don't go on, but set snowflake.window to the longest window of any application of this namespace,"
                + " and " + GivenNamespace.MAX_SKEW + " to the largest, and run this again.";
    }
}
