// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;

/**
 * Writes down what one thread got from one generator, in the order it got it: runs of consecutive ids, with the time before
 * the call for the first and after the call for the last. The file is mapped into memory, so that a SIGKILL loses nothing that
 * was written; what a call returned is written before the next is made.
 *
 * <p>Records are four longs: first id, count, time before, time after (monotonic nanoseconds, which all processes of a machine
 * share). The count is written last; 0 is the end of the file. Negative counts mark other records:
 *
 * <ul>
 *   <li>{@link #HEADER}: worker, {@code -1}, then how many milliseconds ids may be ahead of the true time, with a clock that
 *       tells it and with one that was stepped not long ago
 *   <li>{@link #CLOCK}: true wall clock in milliseconds, {@code -2}, the monotonic time at that moment, and that at which
 *       the worker's clock was last wrong, {@link #NEVER} if it never was
 * </ul>
 */
public final class Recorder implements AutoCloseable {
    static final int RECORD_BYTES = 32;
    static final long HEADER = -1;
    static final long CLOCK = -2;
    static final long NEVER = Long.MIN_VALUE;
    static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int PIECE_BYTES = 8192 * RECORD_BYTES;

    /** Calls are told apart in the recording unless they follow each other closely. */
    private static final long LONGEST_RUN_NANOS = 2_000_000;

    private static final long CLOCK_EVERY_NANOS = 1_000_000_000;

    private final Path path;
    private FileChannel file;
    private final SteppedPlatform clock;
    private MappedByteBuffer piece;
    private long pieceOffset;
    private int position;

    private long first;
    private long count;
    private long calledNanos;
    private long clockNanos;
    private int clockSteps;

    /** For a generator whose clock this process never sets wrong, and whose ids are not compared with the time. */
    public Recorder(Path path) {
        this(path, 0, 0, 0, new SteppedPlatform());
    }

    /**
     * @param aheadMillis how far ahead of the true time ids may be
     * @param steppedAheadMillis the same with a clock that is wrong, or was not long ago
     */
    Recorder(Path path, int worker, long aheadMillis, long steppedAheadMillis, SteppedPlatform clock) {
        this.clock = clock;
        this.path = path;
        try {
            file = FileChannel.open(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        piece = nextPiece();
        append(worker, HEADER, aheadMillis, steppedAheadMillis);
        noteClock();
    }

    /** @param ids ascending, as one call returned them */
    void add(long[] ids, long called, long returned) {
        for (long id : ids) {
            add(id, called, returned);
        }
    }

    /** @param called monotonic time before the call for the id; {@code returned}: after it */
    public void add(long id, long called, long returned) {
        if (clock.steps() != clockSteps || returned - clockNanos > CLOCK_EVERY_NANOS) {
            noteClock();
        }
        boolean close = called == calledNanos || returned - calledNanos < LONGEST_RUN_NANOS;
        if (count > 0 && close && id == first + count) {
            count++;
            LONGS.set(piece, position - 8, returned);
            LONGS.setRelease(piece, position - 24, count);
        } else {
            first = id;
            count = 1;
            calledNanos = called;
            append(id, 1, called, returned);
        }
    }

    private void noteClock() {
        long before;
        long wall;
        // A process that is frozen between the two readings would take the past for the present.
        do {
            before = System.nanoTime();
            wall = System.currentTimeMillis();
            clockNanos = System.nanoTime();
        } while (clockNanos - before > 500_000);
        clockSteps = clock.steps();
        count = 0;
        append(wall, CLOCK, before, clock.lastWrongNanos());
    }

    private void append(long a, long b, long c, long d) {
        if (position == PIECE_BYTES) {
            pieceOffset += PIECE_BYTES;
            position = 0;
            piece = nextPiece();
        }
        LONGS.set(piece, position, a);
        LONGS.set(piece, position + 16, c);
        LONGS.set(piece, position + 24, d);
        LONGS.setRelease(piece, position + 8, b);
        position += RECORD_BYTES;
    }

    private MappedByteBuffer nextPiece() {
        return inSpiteOfInterrupts(() -> file.map(FileChannel.MapMode.READ_WRITE, pieceOffset, PIECE_BYTES));
    }

    @Override
    public void close() {
        long end = pieceOffset + position;
        FileChannel truncated = inSpiteOfInterrupts(() -> file.truncate(end));
        try {
            truncated.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An interrupt is meant for the call for ids; it would close the channel under what that call returned. */
    private <T> T inSpiteOfInterrupts(Callable<T> work) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return work.call();
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                    file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
