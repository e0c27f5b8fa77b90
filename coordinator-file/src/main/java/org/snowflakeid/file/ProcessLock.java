// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The lock file of a namespace, opened once per JVM. Byte 0 is the lock under which everything is read and written; any other
 * byte can be held as a sign of life, which the operating system takes back when the process ends, however it ends.
 *
 * <p>POSIX locks belong to the process, and closing <em>any</em> of its channels on the file drops them all. So there is one
 * channel per file for all class loaders of a JVM. They share it in a map in the system properties that holds types of the JDK
 * only: file key → {channel, file key, semaphore, users}. The last user closes it. Nothing is ever read through it, and it
 * is never renamed or deleted by us. {@code tryLock} and {@code release}, unlike {@code lock}, don't close the channel of an
 * interrupted thread.
 */
final class ProcessLock implements AutoCloseable {

    /** No part of a namespace begins with a dot. */
    static final String NAME = ".lock";

    private static final String REGISTRY = "org.snowflakeid.file.locks";
    private static final long EXCLUSIVE = 0;

    /** Longest pause between two attempts. Half a millisecond at first: a write takes a few of them. */
    private static final long LONGEST_PAUSE_NANOS = 8_000_000;

    /** As everything else in the folder is found: a link in it may lead to another folder by now. */
    private final Path file;

    private final String name;
    private final Object[] entry;
    private boolean closed;

    private ProcessLock(Path file, String name, Object[] entry) {
        this.file = file;
        this.name = name;
        this.entry = entry;
    }

    /** Opens the lock file of an existing folder, creating it if it is absent. */
    static ProcessLock open(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        synchronized (registry()) {
            try {
                Files.createFile(file);
            } catch (FileAlreadyExistsException e) {
                // Not by us: nothing was opened or closed. Opening a pipe would last until somebody reads from it.
                if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    throw new FileAlreadyExistsException(file.toString(), null, "it is no file");
                }
            }
            // Two paths may lead to one file, where a folder is mounted twice.
            Object key = keyOf(file);
            String name = "none".equals(key) ? folder.toRealPath().resolve(NAME).toString() : String.valueOf(key);
            Object[] known = registry().get(name);
            if (known != null && channel(known).isOpen()) {
                known[3] = users(known) + 1;
                return new ProcessLock(file, name, known);
            }
            FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            try {
                Object[] fresh = {channel, key, new Semaphore(1), 1};
                registry().put(name, fresh);
                return new ProcessLock(file, name, fresh);
            } catch (RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        }
    }

    @SuppressWarnings("unchecked") // what another class loader's copy of this class has put there
    private static Map<String, Object[]> registry() {
        ConcurrentMap<String, Object[]> fresh = new ConcurrentHashMap<>();
        Object present = System.getProperties().putIfAbsent(REGISTRY, fresh);
        return present == null ? fresh : (Map<String, Object[]>) present;
    }

    private static FileChannel channel(Object[] entry) {
        return (FileChannel) entry[0];
    }

    private static int users(Object[] entry) {
        return (Integer) entry[3];
    }

    /** The file's identity, which survives neither deletion nor replacement; null where there is none or no file. */
    private static @Nullable Object keyOf(Path file) throws IOException {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return key == null ? "none" : key.toString();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Whether the path still leads to the file that is locked here: somebody may have deleted or replaced the folder. */
    boolean isCurrent() throws IOException {
        return channel(entry).isOpen() && Objects.equals(entry[1], keyOf(file));
    }

    /**
     * Waits for the exclusive lock. Between processes nobody is first in line; pauses are short and random, so that nobody
     * starves either.
     *
     * @return null if it could not be had in time or the thread was interrupted, whose flag is kept
     */
    @Nullable
    Exclusive acquire(long timeoutNanos) throws IOException {
        long deadline = System.nanoTime() + timeoutNanos;
        Semaphore withinThisJvm = (Semaphore) entry[2];
        try {
            if (!withinThisJvm.tryAcquire(timeoutNanos, TimeUnit.NANOSECONDS)) {
                return null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        FileLock lock = null;
        Exclusive exclusive = null;
        try {
            lock = poll(deadline);
            exclusive = lock == null ? null : new Exclusive(lock, withinThisJvm);
            return exclusive;
        } finally {
            if (exclusive == null) {
                try {
                    if (lock != null) {
                        letGo(lock);
                    }
                } finally {
                    withinThisJvm.release();
                }
            }
        }
    }

    private @Nullable FileLock poll(long deadline) throws IOException {
        long pause = 500_000;
        while (!Thread.currentThread().isInterrupted()) {
            FileLock lock = tryExclusive();
            long left = deadline - System.nanoTime();
            if (lock != null || left <= 0) {
                return lock;
            }
            LockSupport.parkNanos(
                    this, Math.min(left, ThreadLocalRandom.current().nextLong(pause / 2, pause)));
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        }
        return null;
    }

    private @Nullable FileLock tryExclusive() throws IOException {
        try {
            return channel(entry).tryLock(EXCLUSIVE, 1, false);
        } catch (OverlappingFileLockException e) {
            // Somebody replaced the system properties, and with them the registry.
            return null;
        }
    }

    /** Holds one byte as a sign of life. Call under the exclusive lock. */
    FileLock holdAnyByte() throws IOException {
        while (true) {
            long position = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
            try {
                FileLock lock = channel(entry).tryLock(position, 1, false);
                if (lock != null) {
                    return lock;
                }
            } catch (OverlappingFileLockException e) {
                // Taken by chance: another draw.
            }
        }
    }

    /** Whether a living process, this one included, holds this byte. Call under the exclusive lock. */
    boolean isHeld(long position) throws IOException {
        try {
            FileLock lock = channel(entry).tryLock(position, 1, false);
            if (lock == null) {
                return true;
            }
            lock.release();
            return false;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    /** Gives up a byte; harmless if it is no longer held. */
    static void letGo(FileLock lock) throws IOException {
        try {
            lock.release();
        } catch (ClosedChannelException e) {
            // Then it went with the channel.
        }
    }

    /** Ends this use. Locks of others in this JVM stay, those taken here must have been let go. */
    @Override
    public void close() throws IOException {
        synchronized (registry()) {
            if (closed) {
                return;
            }
            closed = true;
            entry[3] = users(entry) - 1;
            if (users(entry) == 0) {
                registry().remove(name, entry);
                channel(entry).close();
            }
        }
    }

    /** The right to read and write the namespace. */
    static final class Exclusive implements AutoCloseable {
        private final FileLock lock;
        private final Semaphore withinThisJvm;

        private Exclusive(FileLock lock, Semaphore withinThisJvm) {
            this.lock = lock;
            this.withinThisJvm = withinThisJvm;
        }

        @Override
        public void close() throws IOException {
            try {
                letGo(lock);
            } finally {
                withinThisJvm.release();
            }
        }
    }
}
