// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A line every few seconds that says how far it is. */
public final class Progress {
    private static final long BETWEEN_NANOS = 3_000_000_000L;

    /** The clock is read once in so many ids. */
    private static final int STEP = 1_024;

    private final long aboutRows;
    private final LongSupplier nanoTime;
    private final Consumer<String> say;
    private final long began;
    private @Nullable Long last;
    private long ids;
    private long rows;

    /** @param aboutRows how many rows there may be; 0 if that is not known */
    public Progress(long aboutRows, Consumer<String> say) {
        this(aboutRows, System::nanoTime, say);
    }

    Progress(long aboutRows, LongSupplier nanoTime, Consumer<String> say) {
        this.aboutRows = aboutRows;
        this.nanoTime = nanoTime;
        this.say = say;
        this.began = nanoTime.getAsLong();
    }

    public void see(long id, long rowsOfIt) {
        rows += rowsOfIt;
        if (ids++ % STEP != 0) {
            return;
        }
        long now = nanoTime.getAsLong();
        if (now - (last == null ? began : last) >= BETWEEN_NANOS) {
            last = now;
            say.accept(line(id, (now - began) / 1_000_000_000));
        }
    }

    private String line(long id, long seconds) {
        // What the database believes may be old.
        String share = aboutRows < rows ? "" : bar((int) (100 * rows / aboutRows)) + ", ";
        return String.format(Locale.ROOT, "%s%,d rows in %d s, at id %d", share, rows, seconds, id);
    }

    private static String bar(int percent) {
        int full = percent / 5;
        return "[" + "#".repeat(full) + ".".repeat(20 - full) + "] about " + percent + " %";
    }
}
