// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What generators and coordinators log while a test runs. */
final class LogListener extends Handler implements BeforeEachCallback, AfterEachCallback {
    // Held, since java.util.logging forgets a logger without a reference, and its handlers.
    private static final Logger LOGGER = Logger.getLogger("org.snowflakeid");

    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    public void beforeEach(ExtensionContext context) {
        LOGGER.addHandler(this);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        LOGGER.removeHandler(this);
    }

    /** Those that have this in them. */
    List<String> linesWith(String part) {
        return lines.stream().filter(line -> line.contains(part)).toList();
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line.getLevel() + " " + line.getMessage() + " " + line.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
