// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.SnowflakeException;

/**
 * Reads a namespace again and again, until the thread is interrupted or the process ends. A coordinator that can't be read does not end
 * this: an operator may be watching for just that.
 */
final class Watch {

    private final WatchedNamespace namespace;
    private final StatusView view;
    private final Dialogue dialogue;
    private @Nullable SeenNamespace last;

    /** @param dialogue where the view says it; this ends as soon as that can't be written any more */
    Watch(WatchedNamespace namespace, StatusView view, Dialogue dialogue) {
        this.namespace = namespace;
        this.view = view;
        this.dialogue = dialogue;
    }

    void run(Duration pause) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                look();
                dialogue.requireSaid();
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        SeenNamespace seen;
        try {
            seen = namespace.read(SeenNamespace::at);
        } catch (SnowflakeException e) {
            boolean passes = e instanceof CoordinatorException failure && !failure.permanent();
            if (last == null && !passes) {
                throw e;
            }
            // Settings too: a file of a password may just be replaced.
            view.failed(OperatorCommand.withoutGenerator(e), namespace.namespace());
            return;
        }
        view.show(last, seen, namespace.namespace());
        last = seen;
    }
}
