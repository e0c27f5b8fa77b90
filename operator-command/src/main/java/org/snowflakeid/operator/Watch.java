// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/**
 * Reads a namespace again and again, until the thread is interrupted or the process ends. A coordinator that can't be read does not end
 * this: an operator may be watching for just that.
 */
final class Watch {

    private final Supplier<GivenNamespace> opener;
    private final StatusView view;
    private final Dialogue dialogue;
    private @Nullable SeenNamespace last;

    /** @param dialogue where the view says it; this ends as soon as that can't be written any more */
    Watch(Supplier<GivenNamespace> opener, StatusView view, Dialogue dialogue) {
        this.opener = opener;
        this.view = view;
        this.dialogue = dialogue;
    }

    void run(Duration pause) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                // Opened anew after a failure: a session with a server that lost its data would be refused for ever.
                try (GivenNamespace namespace = opener.get()) {
                    while (look(namespace)) {
                        dialogue.requireSaid();
                        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
                    }
                }
                dialogue.requireSaid();
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it could be read. */
    private boolean look(GivenNamespace namespace) {
        try {
            SeenNamespace seen = SeenNamespace.at(namespace.administration());
            view.show(last, seen, namespace);
            last = seen;
            return true;
        } catch (CoordinatorException e) {
            if (last == null && e.permanent()) {
                throw e;
            }
            view.failed(OperatorCommand.withoutGenerator(e), namespace);
            return false;
        }
    }
}
