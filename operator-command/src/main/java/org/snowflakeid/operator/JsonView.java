// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import org.jspecify.annotations.Nullable;

/** The whole, a line each time. */
final class JsonView implements StatusView {

    private final Dialogue dialogue;

    JsonView(Dialogue dialogue) {
        this.dialogue = dialogue;
    }

    @Override
    public void show(@Nullable SeenNamespace before, SeenNamespace seen, GivenNamespace namespace) {
        dialogue.say(ReportJson.line(seen, namespace));
    }

    @Override
    public void failed(String message, GivenNamespace namespace) {
        dialogue.say(ReportJson.failure(message, namespace));
    }
}
