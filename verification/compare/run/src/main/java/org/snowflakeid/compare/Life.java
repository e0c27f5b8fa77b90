// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.nio.file.Path;
import java.util.List;

/**
 * What a process was and left, from its start to its end. Times are monotonic nanoseconds, which all processes of a machine share.
 *
 * @param endedNanos when it ended, was killed, or was asked to stop
 * @param pauses during which it could do nothing
 */
record Life(Chapter chapter, Path recording, Path log, long endedNanos, List<Pause> pauses) {

    record Pause(long fromNanos, long toNanos) {}

    /** How much of a time it was not paused. */
    long awakeNanos(long fromNanos, long toNanos) {
        long paused = pauses.stream()
                .mapToLong(pause ->
                        Math.max(0, Math.min(toNanos, pause.toNanos()) - Math.max(fromNanos, pause.fromNanos())))
                .sum();
        return Math.max(0, toNanos - fromNanos - paused);
    }

    @Override
    public String toString() {
        return recording.getFileName().toString().replaceFirst("\\.ids$", "");
    }
}
