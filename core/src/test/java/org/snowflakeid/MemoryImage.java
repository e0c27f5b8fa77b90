// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;

/**
 * Everything that a machine's threads were given from outside, in its order: what clocks, random numbers and the coordinator said, and
 * which thread ran when. What they made of it follows. So a second machine that runs the same code and is given the same has the same
 * memory, thread for thread: it is a copy, as of a virtual machine's snapshot that is resumed twice. From there on it has clocks, random
 * numbers and answers of its own.
 */
final class MemoryImage {

    /** Not a thread of the machine. */
    static final int OUTSIDE = -1;

    enum Kind {
        /** A thread runs until it parks. */
        TURN,
        WALL,
        NANOS,
        RANDOM,
        ANSWER,
        /** Somebody outside does something to the machine. */
        COMMAND
    }

    private final List<Entry> entries = new ArrayList<>();
    private int next;
    private long nanos;

    /** @param thread its number on the machine */
    record Entry(
            int thread, Kind kind, long nanos, @Nullable Object value) {

        Entry require(Kind expected) {
            if (kind != expected) {
                throw new AssertionError("a copy of a machine needs " + expected + ", but it got " + this);
            }
            return this;
        }

        @SuppressWarnings("unchecked")
        void command(Machine machine) {
            ((Consumer<Machine>) require(Kind.COMMAND).value).accept(machine);
        }
    }

    void add(int thread, Kind kind, long at, @Nullable Object value) {
        entries.add(new Entry(thread, kind, at, value));
    }

    /** @param at when the copy is taken */
    void rewind(long at) {
        nanos = entries.isEmpty() ? at : entries.get(0).nanos();
    }

    @Nullable
    Entry peek() {
        return next < entries.size() ? entries.get(next) : null;
    }

    Entry take() {
        Entry taken = entries.get(next++);
        nanos = taken.nanos();
        return taken;
    }

    /** The machine's time when that happened which was taken last. */
    long nanos() {
        return nanos;
    }
}
