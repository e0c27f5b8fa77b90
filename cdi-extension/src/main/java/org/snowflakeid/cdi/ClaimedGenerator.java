// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import org.snowflakeid.Snowflake;

/**
 * A generator that was claimed at the start of its application, for libraries that show what generators do. Fired as a CDI event, once for
 * each generator and before the application takes requests, on the thread that starts it. An observer that fails stops nothing but what other
 * observers of the same generator would have shown; the log says so.
 */
public final class ClaimedGenerator {

    private final InjectedSnowflake ids;

    ClaimedGenerator(InjectedSnowflake ids) {
        this.ids = ids;
    }

    /** The generator, open. */
    public Snowflake ids() {
        return ids;
    }

    /** Has this called when the generator has been closed, once. What it throws is logged. */
    public void whenClosed(Runnable end) {
        ids.whenClosed(end);
    }
}
