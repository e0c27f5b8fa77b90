// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.snowflakeid.NamespaceReplacement;
import org.snowflakeid.NamespaceReplacement.Doubt;
import org.snowflakeid.SnowflakeException;
import picocli.CommandLine.Option;

/** What restoring and moving have in common: doubts, the question, and how it ended. */
final class Replacing {

    @Option(
            names = "--accept",
            split = ",",
            paramLabel = "DOUBT",
            description = "What you have looked into and accept: far-ahead-marks, unreadable-marks, unreadable-record.",
            converter = DoubtName.class)
    private List<Doubt> accepted = new ArrayList<>();

    @Option(names = "--yes", description = "Don't ask.")
    private boolean confirmed;

    /** As typed: far-ahead-marks. */
    static final class DoubtName implements picocli.CommandLine.ITypeConverter<Doubt> {
        @Override
        public Doubt convert(String value) {
            for (Doubt doubt : Doubt.values()) {
                if (name(doubt).equals(value)) {
                    return doubt;
                }
            }
            throw new picocli.CommandLine.TypeConversionException("'" + value + "' is no doubt");
        }

        static String name(Doubt doubt) {
            return doubt.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** @param steps what will be done, for people */
    int run(Dialogue dialogue, NamespaceReplacement replacement, List<String> steps, String done) {
        dialogue.say("");
        steps.forEach(step -> dialogue.say("- " + step));
        boolean inDoubt = false;
        for (Map.Entry<Doubt, String> doubt : replacement.doubts().entrySet()) {
            dialogue.say("- " + doubt.getValue());
            if (!accepted.contains(doubt.getKey())) {
                dialogue.complain("Refused, nothing was changed. If you accept it, add --accept "
                        + DoubtName.name(doubt.getKey()));
                inDoubt = true;
            }
        }
        if (inDoubt) {
            return OperatorCommand.FAILED;
        }
        if (!confirmed && !dialogue.confirmed()) {
            return OperatorCommand.NOT_CONFIRMED;
        }
        Set<Doubt> all = accepted.isEmpty() ? EnumSet.noneOf(Doubt.class) : EnumSet.copyOf(accepted);
        try {
            Instant first = replacement.carryOut(all);
            dialogue.say(done + " Its ids are dated " + first + " or later, "
                    + ReportText.distance(Instant.now(), first)
                    + ": a start waits for that, at most snowflake.startup-timeout.");
            return OperatorCommand.DONE;
        } catch (SnowflakeException e) {
            if (!replacement.isBegun()) {
                throw e;
            }
            dialogue.complain(e.getMessage()
                    + "\nThe old namespace is, or may be, retired: nothing is extended there, and ids end within a window."
                    + " Run the same command again.");
            return OperatorCommand.UNFINISHED;
        }
    }
}
