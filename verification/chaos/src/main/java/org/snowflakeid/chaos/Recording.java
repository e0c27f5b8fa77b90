// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Reads what a {@link Recorder} wrote, record by record; also while it is being written, up to where it is then. */
public final class Recording {
    private final Path path;
    private final MappedByteBuffer file;
    private final int end;
    private int position;

    private int worker;
    private long aheadMillis;
    private long steppedAheadMillis;
    private long wallMillis;
    private long wallNanos;
    private long openedNanos = Recorder.NEVER;
    private long lastWrong = Recorder.NEVER;

    private long first;
    private long count;
    private long called;
    private long returned;

    public Recording(Path path) {
        this(path, 0, Integer.MAX_VALUE);
    }

    /** The records between two positions. */
    Recording(Path path, int from, int to) {
        this.path = path;
        this.position = from;
        try (FileChannel channel = FileChannel.open(path)) {
            file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.end = Math.min(to, file.capacity() - file.capacity() % Recorder.RECORD_BYTES);
    }

    /** Goes to the next run of ids. */
    public boolean next() {
        while (position < end) {
            long b = (long) Recorder.LONGS.getAcquire(file, position + 8);
            if (b == 0) {
                return false;
            }
            long a = field(0);
            long c = field(16);
            long d = field(24);
            position += Recorder.RECORD_BYTES;
            if (b == Recorder.HEADER) {
                worker = (int) a;
                aheadMillis = c;
                steppedAheadMillis = d;
            } else if (b == Recorder.CLOCK) {
                wallMillis = a;
                wallNanos = c;
                openedNanos = openedNanos == Recorder.NEVER ? c : openedNanos;
                lastWrong = d;
            } else if (b < 0) {
                throw new IllegalStateException(path + " is damaged at " + (position - Recorder.RECORD_BYTES));
            } else {
                first = a;
                count = b;
                called = c;
                returned = d;
                return true;
            }
        }
        return false;
    }

    private long field(int offset) {
        return (long) Recorder.LONGS.get(file, position + offset);
    }

    Path path() {
        return path;
    }

    /** Behind the present run. */
    int position() {
        return position;
    }

    int worker() {
        return worker;
    }

    public long first() {
        return first;
    }

    public long last() {
        return first + count - 1;
    }

    public long count() {
        return count;
    }

    /** Monotonic time before the call that returned the first id. */
    public long called() {
        return called;
    }

    /** Monotonic time after the call that returned the last id. */
    public long returned() {
        return returned;
    }

    /** Monotonic time at which it was opened; {@link Long#MIN_VALUE} until {@link #next} was called. */
    public long openedNanos() {
        return openedNanos;
    }

    /** The true wall clock when the last id was returned. */
    long returnedMillis() {
        return wallMillis + Math.ceilDiv(returned - wallNanos, 1_000_000L);
    }

    /** Whether the worker's clock was wrong within {@code nanos} before the last id was returned. */
    boolean wrongWithin(long nanos) {
        return lastWrong != Recorder.NEVER && returned - lastWrong < nanos;
    }

    long allowedAheadMillis(boolean stepped) {
        return stepped ? steppedAheadMillis : aheadMillis;
    }

    /** Which generator of which process: all of the file's name but the thread. */
    static String generator(Path path) {
        String name = path.getFileName().toString();
        String withoutEnding = name.substring(0, name.lastIndexOf('.'));
        return withoutEnding.substring(0, withoutEnding.lastIndexOf('.'));
    }

    @Override
    public String toString() {
        return path.getFileName() + " ids " + first + " to " + last();
    }
}
