// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Errors and RuntimeExceptions that a generator's calls throw, though no contract names them: from the threads of a machine without memory,
 * from a library of the coordinator, from anywhere if the stack is full.
 */
final class Accidents {

    /** What threw. */
    enum Place {
        OPENING_A_CLIENT,
        /** Before the request was sent. */
        BEFORE_A_REQUEST,
        /** After the request was sent, and perhaps applied. */
        AFTER_A_REQUEST,
        THREAD_START,
        RANDOM,
        CLOCK,
        PARK,
        LISTENER
    }

    /** What is thrown. */
    enum Kind {
        OUT_OF_MEMORY,
        STACK_OVERFLOW,
        CLASS_NOT_FOUND,
        ILLEGAL_STATE,
        INTERNAL
    }

    private static final Kind[] KINDS = Kind.values();
    private static final String MARK = "simulated accident";

    /** Clocks and waits are called about this often for each call of anything else. */
    private static final int OFTEN = 30;

    /** One in this many threads can't be started. */
    private static final int THREADS = 12;

    private final Simulation run;
    private final Random random;
    private final int rarity;
    private int callsToNext;
    private int oftenToNext;
    private int happened;

    /** @param rarity about one in this many calls fails */
    Accidents(Simulation run, Random random, int rarity) {
        this.run = run;
        this.random = random;
        this.rarity = rarity;
        callsToNext = 1 + random.nextInt(rarity);
        oftenToNext = 1 + random.nextInt(rarity * OFTEN);
    }

    /** @throws RuntimeException or Error, sometimes */
    void mayHappen(Place place) {
        if (place == Place.CLOCK || place == Place.PARK) {
            if (--oftenToNext > 0) {
                return;
            }
            oftenToNext = 1 + random.nextInt(rarity * OFTEN);
        } else if (place == Place.THREAD_START) {
            if (random.nextInt(THREADS) > 0) {
                return;
            }
        } else {
            if (--callsToNext > 0) {
                return;
            }
            callsToNext = 1 + random.nextInt(rarity);
        }
        happen(place);
    }

    private void happen(Place place) {
        if (run.accidentsOver) {
            return;
        }
        Kind kind = place == Place.THREAD_START ? Kind.OUT_OF_MEMORY : KINDS[random.nextInt(KINDS.length)];
        run.tally.count(place);
        run.tally.count(kind);
        happened++;
        String text = MARK + " at " + place;
        switch (kind) {
            case OUT_OF_MEMORY -> throw new OutOfMemoryError(text);
            case STACK_OVERFLOW -> throw new StackOverflowError(text);
            case CLASS_NOT_FOUND -> throw new NoClassDefFoundError(text);
            case ILLEGAL_STATE -> throw new IllegalStateException(text);
            case INTERNAL -> throw new AssertionError(text);
        }
    }

    int happened() {
        return happened;
    }

    static boolean isOne(Throwable e) {
        String text = e.getMessage();
        return !(e instanceof SnowflakeException) && text != null && text.contains(MARK);
    }

    /** Whether the receiver of this exception can tell that an accident caused it. */
    static boolean isReason(@Nullable Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains(MARK)) {
                return true;
            }
        }
        return false;
    }
}
