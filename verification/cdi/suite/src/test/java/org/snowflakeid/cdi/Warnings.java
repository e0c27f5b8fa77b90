// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** The warnings that begin with certain words. */
final class Warnings implements AutoCloseable {

    private final Logger logger = Logger.getLogger("org.snowflakeid");
    private final Queue<String> all = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();
    private final Handler handler;

    Warnings(String begin) {
        handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().equals(Level.WARNING) && entry.getMessage().startsWith(begin)) {
                    all.add(entry.getMessage());
                    unread.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
    }

    Stream<String> all() {
        return all.stream();
    }

    String next() throws InterruptedException {
        return String.valueOf(unread.poll(90, TimeUnit.SECONDS));
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
