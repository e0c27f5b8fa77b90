// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;

/**
 * Everything that a machine's threads received from outside, in order: clock readings, random numbers, the coordinator's answers, and which
 * thread ran when. All else follows from that. So a second machine that runs the same code on the same input has the same memory, thread
 * for thread: it is a copy, like a virtual machine's snapshot that is restored twice. From there on it has clocks, random numbers and
 * answers of its own.
 */
final class MemoryImage {

    /** Stands for input that no thread of the machine received. */
    static final int OUTSIDE = -1;

    enum Kind {
        /** A thread runs until it parks. */
        TURN,
        WALL,
        NANOS,
        RANDOM,
        ANSWER,
        /** Something happens to the machine from outside. */
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

    /** The machine's time at the entry that was taken last. */
    long nanos() {
        return nanos;
    }
}
