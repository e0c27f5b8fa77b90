// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;

/**
 * What a generator has done since it was opened, for metrics. No value ever decreases. They are read one after another while the generator goes on,
 * and each may lag for a moment.
 *
 * @param issued how many ids were issued, those of unfinished batches included
 * @param waits how many calls waited for anything but the next millisecond: the coordinator, a clock that stepped or stands still, a restore
 * @param waited how long these calls waited in total, those that have ended
 * @param extensions how many extensions of a worker id were tried
 * @param extending how long these took in total
 * @param failedExtensions how many of them failed, or ended without an answer
 * @param swaps how often a worker id in use was replaced, perhaps by the same one, claimed again
 */
public record SnowflakeCounts(
        long issued,
        long waits,
        Duration waited,
        long extensions,
        Duration extending,
        long failedExtensions,
        long swaps) {

    /** Of a generator that does not count. */
    static final SnowflakeCounts NONE = new SnowflakeCounts(0, 0, Duration.ZERO, 0, Duration.ZERO, 0, 0);
}
