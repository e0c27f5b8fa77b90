// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What generators and coordinators log, each line under the name of its generator. */
public final class LogLines {

    // Held, since java.util.logging forgets a logger without a reference, and its handlers.
    private static final Logger LOGGER = Logger.getLogger("org.snowflakeid");

    private static final ConcurrentLinkedQueue<String> LINES = new ConcurrentLinkedQueue<>();

    static {
        LOGGER.addHandler(new Handler() {
            @Override
            public void publish(LogRecord line) {
                LINES.add(line.getLevel() + " " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
    }

    private LogLines() {}

    /** Begins to listen. */
    public static void listen() {}

    public static List<String> of(String generator) {
        return LINES.stream()
                .filter(line -> line.contains("snowflake '" + generator + "'"))
                .toList();
    }
}
