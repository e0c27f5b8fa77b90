// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.NamespaceDoubt;
import picocli.CommandLine.Option;

/** What restoring and moving have in common: what will be done, doubts, the question, and how it ended. */
final class Replacement {

    @Option(
            names = "--accept",
            split = ",",
            paramLabel = "DOUBT",
            description = "What you have looked into and accept: lost-record, unreadable-record, reserved-record=ID,"
                    + " lost-successor=ID, far-ahead-marks, unreadable-marks. The refusal says which, with the id of the"
                    + " record that it is about.",
            converter = Acceptance.Converter.class)
    private List<Acceptance> accepted = new ArrayList<>();

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description =
                    "The namespace you mean. It is refused if the settings name another one: a settings file that was"
                            + " mistaken, or a profile. Sets nothing.")
    private @Nullable String meant;

    @Option(names = "--yes", description = "Don't ask for the name, which has to be given by --namespace then.")
    private boolean confirmed;

    boolean accepts(NamespaceDoubt doubt) {
        return accepted.contains(new Acceptance(doubt, null));
    }

    /**
     * To be called before the coordinator is asked for anything.
     *
     * @throws org.snowflakeid.InvalidSettingsException if the settings name another namespace than was meant
     */
    void requireMeant(GivenNamespace namespace) {
        String name = namespace.name();
        if (meant != null && !meant.equals(name)) {
            throw GivenSettings.invalid("--namespace=" + meant + ", but the settings name the namespace '" + name
                    + "'. Correct the one that is wrong; --settings, --profile and --generator decide what the settings"
                    + " are.");
        }
        if (meant == null && confirmed) {
            throw GivenSettings.invalid("--yes without the name of the namespace. Add --namespace " + name
                    + " if that is what you mean; the settings name it.");
        }
    }

    /**
     * @param name of the namespace that is replaced
     * @param steps what will be done, for people
     * @param records the ids of the records that doubts are about
     * @param carryOut does it, knowing what is accepted; returns the date of the first ids
     * @param done how to call it when it is done
     * @return exit code
     */
    int run(
            Dialogue dialogue,
            String name,
            List<String> steps,
            Map<NamespaceDoubt, String> doubts,
            Map<NamespaceDoubt, String> records,
            Function<Set<NamespaceDoubt>, Instant> carryOut,
            String done) {
        dialogue.say("");
        steps.forEach(step -> dialogue.say("- " + step));
        doubts.values().forEach(doubt -> dialogue.say("- " + doubt));
        Set<NamespaceDoubt> now = EnumSet.noneOf(NamespaceDoubt.class);
        Set<NamespaceDoubt> open = EnumSet.noneOf(NamespaceDoubt.class);
        doubts.keySet().forEach(doubt -> (accepted.contains(Acceptance.of(doubt, records)) ? now : open).add(doubt));
        if (!open.isEmpty()) {
            open.forEach(doubt -> complain(dialogue, Acceptance.of(doubt, records)));
            return OperatorCommand.FAILED;
        }
        if (!confirmed && !dialogue.confirmed(name)) {
            return OperatorCommand.NOT_CONFIRMED;
        }
        Instant first = carryOut.apply(now);
        dialogue.say(done + " Its ids are dated " + first + " or later, " + ReportText.distance(Instant.now(), first)
                + ". Start the application now: a start waits for that by itself.");
        return OperatorCommand.DONE;
    }

    private void complain(Dialogue dialogue, Acceptance needed) {
        accepted.stream()
                .filter(given -> given.doubt() == needed.doubt())
                .forEach(given -> dialogue.complain("--accept " + given
                        + (given.id() == null ? " does not say of which record." : " is about another record.")));
        refuse(dialogue, needed);
    }

    static void refuse(Dialogue dialogue, Acceptance needed) {
        dialogue.complain(
                "Refused, nothing was changed. If you have looked into it and accept it, add --accept " + needed);
    }
}
