// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.time.Duration;

/** When a call must have ended, by the monotonic clock. */
record Deadline(long atNanos) {

    static Deadline after(Duration timeout) {
        return new Deadline(System.nanoTime() + timeout.toNanos());
    }

    /** 0 once it has passed. */
    long nanosLeft() {
        return Math.max(0, atNanos - System.nanoTime());
    }
}
