// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;

/**
 * What a generator has done since it was opened, for metrics. None of these ever decreases. They are read one after another, while the generator
 * goes on; each may lag behind for a moment.
 *
 * @param issued how many ids were issued, those of unfinished batches included
 * @param waits how many calls waited for the coordinator, for a clock that stepped back, or for one that is vetted; waiting for the next
 *     millisecond is not counted
 * @param waited how long these calls waited together, those that are over
 * @param extensions how many extensions of a worker id were tried
 * @param extending how long these took together
 * @param failedExtensions how many of them failed, or ended without an answer
 * @param swaps how often another worker id took the place of one that was used
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
