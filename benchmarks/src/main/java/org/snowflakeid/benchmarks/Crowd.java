// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.lang.reflect.Method;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;

/** So many threads of one kind, and how many ids they share. */
record Crowd(int threads, boolean virtual, int sequenceBits) {

    /** As in {@code 400p/4}. */
    static Crowd parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 2 || (text.charAt(slash - 1) != 'p' && text.charAt(slash - 1) != 'v')) {
            throw new IllegalArgumentException("'" + text + "' is not like 400p/4");
        }
        return new Crowd(
                Integer.parseInt(text.substring(0, slash - 1)),
                text.charAt(slash - 1) == 'v',
                Integer.parseInt(text.substring(slash + 1)));
    }

    double idsPerMilli() {
        return 1L << sequenceBits;
    }

    double fairShareMillis() {
        return threads / idsPerMilli();
    }

    ThreadFactory factory() throws ReflectiveOperationException {
        if (!virtual) {
            // Small stacks, so that ten thousand fit anywhere.
            return task -> new Thread(null, task, "caller", 128 * 1024);
        }
        // Java 17 has none.
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Method factory = Class.forName("java.lang.Thread$Builder").getMethod("factory");
        return (ThreadFactory) factory.invoke(builder);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d %s, %d bits", threads, virtual ? "virtual" : "platform", sequenceBits);
    }
}
