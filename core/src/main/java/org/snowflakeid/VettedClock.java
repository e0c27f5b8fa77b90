// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import org.jspecify.annotations.Nullable;

/**
 * The wall clock, doubted when it jumps against the monotonic one. Ids tolerate any clock; a mark raised by a wrong one would
 * reserve a worker id far into the future. So the keeper vets the clock before each claim and extension, and while the clock
 * is not believed, time runs on from the last moment it was.
 *
 * <p>{@link #millis()} and {@link #tick()} may be called by any thread, all else by the keeper's.
 */
final class VettedClock {

    enum Verdict {
        /** The wall clock is in use. */
        BELIEVED,
        /** It jumped and a reference confirms it: it is in use from now on. */
        ACCEPTED,
        /** A reference contradicts it. */
        CONTRADICTED,
        /** It jumped, and nothing tells yet whether rightly. */
        UNDECIDED
    }

    private final Platform platform;
    private final long epochMillis;
    private final long maxSkewMillis;

    /** Added to the wall clock: 0 while it is believed. */
    private volatile long correctionMillis;

    private boolean anchored;
    private long anchorMillis;
    private long anchorNanos;

    private boolean doubted;
    private long jumpMillis;
    private long jumpNanos;

    VettedClock(Platform platform, SnowflakeLayout layout, long maxSkewMillis) {
        this.platform = platform;
        this.epochMillis = layout.epoch().toEpochMilli();
        this.maxSkewMillis = maxSkewMillis;
    }

    /** The time in use: the wall clock, corrected while it is not believed. */
    long millis() {
        return platform.wallMillis() + correctionMillis;
    }

    long tick() {
        return millis() - epochMillis;
    }

    /** How far the time in use lies from the wall clock. */
    long correctionMillis() {
        return correctionMillis;
    }

    /**
     * Whether the wall clock has run steadily since it was last believed; it is then believed further. If not, the time in use
     * runs on from that moment until {@link #judge} finds it right.
     */
    boolean isSteady() {
        return isSteady(platform.wallMillis(), platform.nanoTime());
    }

    /**
     * The time to raise a mark by. The clock may have jumped since it was vetted, while the coordinator was asked: so this
     * very reading is doubted too.
     */
    long vettedTick() {
        long wall = platform.wallMillis();
        boolean steady = isSteady(wall, platform.nanoTime());
        return (steady ? wall : wall + correctionMillis) - epochMillis;
    }

    private boolean isSteady(long wall, long nanos) {
        if (!anchored) {
            return false;
        }
        // A clock in doubt is judged even if it came back: near the time in use it may still be far from the right
        // time.
        if (!doubted && isNear(wall, nanos)) {
            believe(wall, nanos);
            return true;
        }
        boolean jumpedAgain = Math.abs((wall - jumpMillis) - (nanos - jumpNanos) / 1_000_000) > maxSkewMillis;
        if (!doubted || jumpedAgain) {
            doubted = true;
            jumpMillis = wall;
            jumpNanos = nanos;
        }
        correctionMillis = expected(nanos) - wall;
        return false;
    }

    /** What the wall clock would say now, had it run steadily since it was last believed. */
    private long expected(long nanos) {
        return anchorMillis + (nanos - anchorNanos) / 1_000_000;
    }

    private boolean isNear(long wall, long nanos) {
        return Math.abs(wall - expected(nanos)) <= maxSkewMillis;
    }

    /** How many milliseconds the wall clock stands ahead of where it should, while {@link #isSteady} is false. */
    long jump() {
        return -correctionMillis;
    }

    /**
     * Judges a clock that is not steady, or that was never vetted.
     *
     * @param reference another clock's time in milliseconds, read after the jump; null if there is none
     * @param referenceAge by how much the reference may lag behind its clock, in milliseconds
     * @param mayBecome whether a reference may still come: then an unconfirmed jump stays undecided
     */
    Verdict judge(@Nullable Long reference, long referenceAge, boolean mayBecome) {
        long wall = platform.wallMillis();
        long nanos = platform.nanoTime();
        if (reference != null) {
            boolean agrees = wall >= reference - maxSkewMillis && wall <= reference + referenceAge + maxSkewMillis;
            if (!agrees) {
                return Verdict.CONTRADICTED;
            }
        } else if (anchored && !isNear(wall, nanos)) {
            boolean young = nanos - jumpNanos < maxSkewMillis * 1_000_000;
            if (mayBecome || young) {
                return Verdict.UNDECIDED;
            }
        }
        Verdict verdict = anchored ? Verdict.ACCEPTED : Verdict.BELIEVED;
        believe(wall, nanos);
        return verdict;
    }

    private void believe(long wall, long nanos) {
        anchored = true;
        anchorMillis = wall;
        anchorNanos = nanos;
        doubted = false;
        correctionMillis = 0;
    }
}
