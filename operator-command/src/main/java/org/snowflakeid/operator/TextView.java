// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The whole for the first time, then what changed; why it can't be read, once for each reason. */
final class TextView implements StatusView {

    private final Dialogue dialogue;
    private final boolean all;
    private String failure = "";

    /** @param all also worker ids that are free */
    TextView(Dialogue dialogue, boolean all) {
        this.dialogue = dialogue;
        this.all = all;
    }

    @Override
    public void show(@Nullable SeenNamespace before, SeenNamespace seen, GivenNamespace namespace) {
        Instant now = seen.clocks().here();
        if (!failure.isEmpty()) {
            say(now, "read again");
            failure = "";
        }
        if (before == null) {
            ReportText.summary(seen, namespace.given()).forEach(dialogue::say);
            ReportText.workers(seen.report(), all).forEach(dialogue::say);
        } else {
            Changes.between(before, seen).forEach(line -> say(now, line));
        }
    }

    @Override
    public void failed(String message, GivenNamespace namespace) {
        if (!message.equals(failure)) {
            failure = message;
            say(Instant.now(), "can't be read: " + message);
        }
    }

    private void say(Instant at, String line) {
        dialogue.say(at.truncatedTo(ChronoUnit.SECONDS) + "  " + line);
    }
}
