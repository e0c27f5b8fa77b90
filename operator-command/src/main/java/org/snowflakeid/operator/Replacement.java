// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.administration.NamespaceReport;
import org.snowflakeid.records.NamespaceState;
import picocli.CommandLine.Option;

/** What restoring and moving have in common: what will be done, doubts, the question, and how it ended. */
final class Replacement {

    /** For the footer of the help. */
    static final String ACCOUNT =
            "For a coordinator in a folder run this as the account of the application (sudo -u ACCOUNT ...):"
                    + " it can't use files that another account wrote there, such as root.";

    private static final String INTERRUPTED =
            "Interrupted. It may be begun and not finished: then nothing is granted any more. Look at it with status, and run"
                    + " the same again.";

    private static final Set<NamespaceState> UNFINISHED = Set.of(NamespaceState.RESTORING, NamespaceState.MOVING);

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
     * @param namespace that is replaced
     * @param all the settings that were given, for other namespaces too
     * @throws org.snowflakeid.InvalidSettingsException if the settings name another namespace than was meant, or it isn't certain
     *     that they are those of the application
     */
    void requireMeant(GivenNamespace namespace, GivenSettings... all) {
        Profile.requireMeant(Stream.of(all).map(GivenSettings::profile).toList());
        List<String> contradictions =
                Stream.of(all).flatMap(given -> given.contradictions().stream()).toList();
        if (!contradictions.isEmpty()) {
            throw new InvalidSettingsException(contradictions);
        }
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
     * @param replaced the namespace, as it is now
     * @param question before its name is asked for
     * @param steps what will be done, for people
     * @param records the ids of the records that doubts are about
     * @param carryOut does it, knowing what is accepted; returns the date of the first ids
     * @param done what to say when it is done, before the date of the first ids
     * @return exit code
     */
    int run(
            Dialogue dialogue,
            NamespaceReport replaced,
            String question,
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
        if (acceptsInVain(dialogue, replaced, doubts)) {
            return OperatorCommand.FAILED;
        }
        dialogue.requireSaid();
        if (!confirmed && !dialogue.confirmed(question, replaced.namespace())) {
            return OperatorCommand.NOT_CONFIRMED;
        }
        OnSignal onCtrlC = new OnSignal(() -> dialogue.complain(INTERRUPTED));
        Instant first;
        try {
            first = carryOut.apply(now);
        } finally {
            onCtrlC.close();
        }
        dialogue.say(
                done + " Its ids are dated " + first + " or later, " + ReportText.distance(Instant.now(), first)
                        + ". Start the application once this is done for each of its generators: a start waits for that by itself.");
        return OperatorCommand.DONE;
    }

    /**
     * Whether something is accepted that is not there to be accepted: the same command was carried out before, say, and would replace
     * a namespace that is in good order. One that was interrupted is finished by the same command, though its doubts are settled.
     */
    private boolean acceptsInVain(Dialogue dialogue, NamespaceReport replaced, Map<NamespaceDoubt, String> doubts) {
        List<String> needless = accepted.stream()
                .filter(given -> !doubts.containsKey(given.doubt()))
                .map(Acceptance::toString)
                .toList();
        if (needless.isEmpty() || UNFINISHED.contains(replaced.state())) {
            return false;
        }
        dialogue.complain("Refused, nothing was changed. There is nothing that --accept " + String.join(",", needless)
                + " could be about. The record is " + ReportText.record(replaced)
                + replaced.replaces().map(id -> "; it replaces id " + id).orElse("")
                + replaced.floor().map(floor -> "; its floor is " + floor).orElse("")
                + ". If this command was run before, it is done, and nothing is left to do. If not, look"
                + " at the namespace with status, and leave out that word.");
        return true;
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
