// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.snowflakeid.NamespaceDoubt;
import picocli.CommandLine.Option;

/** What restoring and moving have in common: what will be done, doubts, the question, and how it ended. */
final class Replacement {

    @Option(
            names = "--accept",
            split = ",",
            paramLabel = "DOUBT",
            description = "What you have looked into and accept: lost-record, unreadable-record, reserved-record,"
                    + " lost-successor, far-ahead-marks, unreadable-marks.",
            converter = DoubtName.class)
    private List<NamespaceDoubt> accepted = new ArrayList<>();

    @Option(names = "--yes", description = "Don't ask.")
    private boolean confirmed;

    /**
     * @param steps what will be done, for people
     * @param carryOut does it, knowing what is accepted; returns the date of the first ids
     * @param done how to call it when it is done
     * @return exit code
     */
    int run(
            Dialogue dialogue,
            List<String> steps,
            Map<NamespaceDoubt, String> doubts,
            Function<Set<NamespaceDoubt>, Instant> carryOut,
            String done) {
        dialogue.say("");
        steps.forEach(step -> dialogue.say("- " + step));
        doubts.values().forEach(doubt -> dialogue.say("- " + doubt));
        Set<NamespaceDoubt> open = EnumSet.noneOf(NamespaceDoubt.class);
        open.addAll(doubts.keySet());
        accepted.forEach(open::remove);
        if (!open.isEmpty()) {
            complain(dialogue, open);
            return OperatorCommand.FAILED;
        }
        if (!confirmed && !dialogue.confirmed()) {
            return OperatorCommand.NOT_CONFIRMED;
        }
        Set<NamespaceDoubt> all = EnumSet.noneOf(NamespaceDoubt.class);
        all.addAll(accepted);
        Instant first = carryOut.apply(all);
        dialogue.say(done + " Its ids are dated " + first + " or later, " + ReportText.distance(Instant.now(), first)
                + ": a start waits for that, at most snowflake.startup-timeout.");
        return OperatorCommand.DONE;
    }

    static void complain(Dialogue dialogue, Set<NamespaceDoubt> open) {
        for (NamespaceDoubt doubt : open) {
            dialogue.complain("Refused, nothing was changed. If you have looked into it and accept it, add --accept "
                    + DoubtName.of(doubt));
        }
    }
}
