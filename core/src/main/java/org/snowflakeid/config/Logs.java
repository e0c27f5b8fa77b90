// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one log of this library's core. Each line begins with the generator's name. What a log handler throws, even an error, goes no further: a lost
 * line must not cost a worker id.
 */
public final class Logs {

    public static final Logs LOG = new Logs(System.getLogger("org.snowflakeid"));

    private final Logger logger;

    Logs(Logger logger) {
        this.logger = logger;
    }

    /** A text with the generator's name before it. */
    public static String named(String generator, String text) {
        return "snowflake '" + generator + "': " + text;
    }

    public void log(Level level, @Nullable String text) {
        guarded(() -> logger.log(level, text));
    }

    /** @param text asked for only if the level is logged */
    public void log(Level level, Supplier<String> text) {
        guarded(() -> logger.log(level, text));
    }

    public void log(Level level, @Nullable String text, @Nullable Throwable reason) {
        guarded(() -> logger.log(level, text, reason));
    }

    private static void guarded(Runnable line) {
        try {
            line.run();
        } catch (Throwable lost) {
            // There is no other place to say it.
        }
    }
}
