// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.example;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;

/** Stands for the server that a coordinator is written for, with a client whose API is given. */
final class MapServer {

    /** @param number counts the writes of this server */
    record Row(String text, long number) {}

    static final class NoAnswerException extends Exception {
        private static final long serialVersionUID = 1;

        NoAnswerException(String message) {
            super(message);
        }
    }

    private final Platform platform;
    private final Map<String, Row> rows = new HashMap<>();
    private long writes;
    private volatile boolean reachable = true;

    MapServer(Platform platform) {
        this.platform = platform;
    }

    void setReachable(boolean now) {
        reachable = now;
    }

    Instant time(Duration timeout) throws NoAnswerException {
        travel(timeout);
        return Instant.ofEpochMilli(platform.wallMillis());
    }

    @Nullable
    Row get(String key, Duration timeout) throws NoAnswerException {
        travel(timeout);
        synchronized (rows) {
            return rows.get(key);
        }
    }

    /** @param number of the row that is to be replaced; 0: there must be none */
    boolean putIf(String key, long number, String text, Duration timeout) throws NoAnswerException {
        travel(timeout);
        synchronized (rows) {
            Row present = rows.get(key);
            if (number != (present == null ? 0 : present.number())) {
                return false;
            }
            writes++;
            rows.put(key, new Row(text, writes));
            return true;
        }
    }

    /** The way to the server takes time, and may not end there. */
    private void travel(Duration timeout) throws NoAnswerException {
        if (!reachable) {
            platform.park(timeout.toNanos());
            throw new NoAnswerException("waited for " + timeout);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new NoAnswerException("interrupted");
        }
    }
}
