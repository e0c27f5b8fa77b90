// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What core logs while this is open, through any of its loggers: each message, with its cause if it has one. */
final class LogLines extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("org.snowflakeid");
    private final List<String> lines = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();

    /** What each log call throws; null: nothing. */
    @Nullable
    Error failure;

    LogLines() {
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord entry) {
        if (failure != null) {
            throw failure;
        }
        if (entry.getLevel().equals(Level.SEVERE)) {
            errors.add(entry.getMessage());
        }
        lines.add(entry.getThrown() == null ? entry.getMessage() : entry.getMessage() + ": " + entry.getThrown());
    }

    List<String> all() {
        return List.copyOf(lines);
    }

    List<String> errors() {
        return List.copyOf(errors);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
