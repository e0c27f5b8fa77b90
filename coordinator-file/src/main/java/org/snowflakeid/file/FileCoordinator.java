// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * Compare-and-set on files, under one exclusive lock per namespace. The rename of a mark is the moment at which a write
 * happens; everything before it can be undone, and everything after it is about liveness only.
 *
 * <p><b>Owners.</b> An owner is the line {@code lock=<byte> until=<instant> <value>} in {@code workers/<n>}, and it is present
 * while <em>both</em> hold: the named byte of the lock file is locked by some process, and the instant lies ahead. The lock
 * shows a killed process at once, without looking at process ids, which are re-used and differ between containers. The instant
 * shows a process that is frozen, or alive but no longer extending: its lock stays, its time runs out. Each claim locks a byte
 * of its own, drawn at random, so that the lock of a frozen former holder is in nobody's way and an owner can always be
 * evicted; when it wakes, the byte in the file is not its own, and that is how it knows. After a restart of the machine all
 * locks are gone, hence owner files need not be forced to the disk, and one that can't be read is an owner that is absent.
 *
 * <p>The instant is by the wall clock, which all processes of a host share; a step of it frees a worker id early or late and
 * does no other harm. The server's time is unknown: there is no second clock to vet the first one with.
 *
 * <p>A process stopped in the middle of a write keeps the lock, and all others wait, each for its timeout, until it goes on or
 * is killed.
 */
final class FileCoordinator implements WorkerCoordinator {

    private static final Pattern OWNER = Pattern.compile("lock=(\\d{1,19}) until=(\\S+) (.*)", Pattern.DOTALL);

    /** Of a mark that can't be read. It is shown, so that its worker id is left alone, and is never as expected. */
    private static final long DAMAGED = -1;

    private final NamespaceFolder folder;
    private final Duration timeToLive;

    /** By what was written as the owner. */
    private final Map<String, FileLock> held = new HashMap<>();

    private boolean closed;

    FileCoordinator(NamespaceFolder folder, Duration timeToLive) {
        this.folder = folder;
        this.timeToLive = timeToLive;
    }

    private record Owner(long lockedByte, Instant until, String value) {

        static @Nullable Owner parse(@Nullable String line) {
            Matcher matcher = OWNER.matcher(line == null ? "" : line);
            try {
                return matcher.matches()
                        ? new Owner(Long.parseLong(matcher.group(1)), Instant.parse(matcher.group(2)), matcher.group(3))
                        : null;
            } catch (NumberFormatException | DateTimeException e) {
                return null;
            }
        }

        String line() {
            return "lock=" + lockedByte + " until=" + until + " " + value;
        }

        boolean isInTime() {
            return System.currentTimeMillis() < until.toEpochMilli();
        }
    }

    private interface Operation<T> {
        /** @throws IOException if nothing was changed */
        T run() throws IOException;
    }

    /** Runs under the exclusive lock; null if the thread was interrupted before. */
    private <T> @Nullable T locked(Duration timeout, Operation<T> operation) {
        if (closed) {
            throw new CoordinatorException("the file coordinator is closed", true);
        }
        if (Thread.currentThread().isInterrupted()) {
            return null;
        }
        try {
            ProcessLock.Exclusive exclusive = folder.enter(timeout.toNanos());
            if (exclusive == null) {
                return null;
            }
            try {
                return operation.run();
            } finally {
                // Also after an error: all processes of this host wait for it.
                closeQuietly(exclusive);
            }
        } catch (IOException e) {
            throw folder.failure(e);
        }
    }

    /** The operating system fails to unlock only where the file is gone, and the lock with it. */
    private static void closeQuietly(ProcessLock.Exclusive exclusive) {
        try {
            exclusive.close();
        } catch (IOException e) {
            // Nothing is left to be unlocked.
        }
    }

    private CasResult write(Duration timeout, Operation<CasResult> operation) {
        CasResult result = locked(timeout, operation);
        return result == null ? interrupted() : result;
    }

    private static CasResult interrupted() {
        return new CasResult.Unknown(new CoordinatorException("interrupted", false));
    }

    @Override
    public synchronized Snapshot read(int fromId, int toId, Duration timeout) {
        if (!closed && !Thread.currentThread().isInterrupted() && folder.isAbsent()) {
            return new Snapshot(
                    null,
                    IntStream.rangeClosed(fromId, toId)
                            .mapToObj(id -> new Slot(id, null, null))
                            .toList(),
                    null);
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        Snapshot snapshot = locked(timeout, () -> {
            NamespaceFolder.Presence marks = folder.marks(fromId, toId);
            NamespaceFolder.Presence workers = folder.workers(fromId, toId);
            List<Slot> slots = new ArrayList<>();
            for (int id = fromId; id <= toId; id++) {
                // Not before the first: the lock may have come at the last moment. All others wait for it.
                if (id > fromId && System.nanoTime() - deadline >= 0) {
                    throw new CoordinatorException(
                            "the disk is too slow to read the worker ids from " + fromId + " to " + toId + " within "
                                    + timeout + ". Use a faster disk.",
                            false);
                }
                Stored mark = marks.mayExist(id) ? mark(id) : null;
                Owner owner = workers.mayExist(id) ? owner(id) : null;
                slots.add(new Slot(id, mark, owner == null ? null : owner.value()));
            }
            return new Snapshot(stored(folder.meta()), slots, null);
        });
        if (snapshot == null) {
            throw new CoordinatorException("interrupted", false);
        }
        return snapshot;
    }

    @Override
    public synchronized CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return write(timeout, () -> {
            Stored meta = stored(folder.meta());
            return same(expected, meta) ? put(folder.meta(), next, false) : new CasResult.Rejected(meta, null);
        });
    }

    @Override
    public synchronized CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        return write(timeout, () -> {
            Slot slot = slot(id);
            if (!same(mark, slot.mark()) || !same(meta, stored(folder.meta())) || (!evict && slot.owner() != null)) {
                return new CasResult.Rejected(stored(folder.meta()), slot);
            }
            FileLock lock = folder.lock().holdAnyByte();
            boolean ownerHeld = false;
            try {
                Path prepared =
                        folder.prepare(folder.worker(id), newOwner(lock, owner).line(), false);
                boolean durable;
                try {
                    durable = folder.write(folder.mark(id), next);
                } catch (IOException | RuntimeException e) {
                    NamespaceFolder.delete(prepared);
                    throw e;
                }
                ownerHeld = isRenamed(prepared, folder.worker(id));
                return applied(next, durable, ownerHeld);
            } finally {
                if (ownerHeld) {
                    letGo(held.put(owner, lock));
                } else {
                    letGo(lock);
                }
            }
        });
    }

    @Override
    public synchronized CasResult extend(
            int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return write(timeout, () -> extendLocked(new Extension(id, mark, next, owner), meta));
    }

    /**
     * Each by itself, since no file system replaces several files at once, but within one turn at the namespace. One that could not be
     * written may be what is wrong with it alone.
     */
    @Override
    public synchronized List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        if (extensions.isEmpty()) {
            return List.of();
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        List<CasResult> results = locked(timeout, () -> {
            List<CasResult> all = new ArrayList<>();
            for (Extension each : extensions) {
                // The first in any case: the lock may have come at the last moment.
                boolean late = !all.isEmpty() && System.nanoTime() - deadline >= 0;
                all.add(
                        Thread.currentThread().isInterrupted()
                                ? interrupted()
                                : late ? tooLate(timeout) : extendOne(each, meta));
            }
            return all;
        });
        return results == null ? Collections.nCopies(extensions.size(), interrupted()) : results;
    }

    private static CasResult tooLate(Duration timeout) {
        return new CasResult.Unknown(new CoordinatorException(
                "the disk is too slow to extend all worker ids of this process within " + timeout
                        + "; the others are extended first. Use a faster disk, fewer snowflake.workers, or a longer"
                        + " snowflake.window.",
                false));
    }

    private CasResult extendOne(Extension extension, Stored meta) {
        try {
            return extendLocked(extension, meta);
        } catch (IOException e) {
            return new CasResult.Unknown(folder.failure(e));
        } catch (CoordinatorException e) {
            return new CasResult.Unknown(e);
        }
    }

    private CasResult extendLocked(Extension extension, Stored meta) throws IOException {
        int id = extension.id();
        CasResult.Rejected rejected = compare(id, extension.mark(), meta);
        if (rejected != null) {
            return rejected;
        }
        boolean durable = folder.write(folder.mark(id), extension.next());
        return applied(extension.next(), durable, renew(id, extension.owner()));
    }

    @Override
    public synchronized CasResult release(
            int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return write(timeout, () -> {
            CasResult.Rejected rejected = compare(id, mark, meta);
            if (rejected != null) {
                return rejected;
            }
            CasResult result = put(folder.mark(id), next, false);
            removeOwner(id, owner);
            return result;
        });
    }

    @Override
    public synchronized void abandon(int id, String owner, Duration timeout) {
        FileLock lock = held.get(owner);
        if (lock == null || closed) {
            return;
        }
        try {
            // Without the exclusive lock, which may be out of reach: from here on nobody takes the owner for alive.
            letGo(lock);
            locked(timeout, () -> {
                removeOwner(id, owner);
                return id;
            });
        } catch (CoordinatorException e) {
            // Only the file is left, and that is nothing without the lock.
        } finally {
            held.remove(owner);
        }
    }

    /** Lets go of all signs of life, as the end of the process would; files stay. */
    @Override
    public synchronized void close() {
        closed = true;
        held.values().forEach(FileCoordinator::letGo);
        held.clear();
        try {
            folder.close();
        } catch (IOException e) {
            // Nothing can be done about a file that doesn't close.
        }
    }

    private @Nullable Stored stored(Path file) throws IOException {
        String line = folder.read(file);
        return line == null ? null : new Stored(line, 0);
    }

    private @Nullable Stored mark(int id) throws IOException {
        try {
            return stored(folder.mark(id));
        } catch (NamespaceFolder.DamagedException e) {
            return new Stored(String.valueOf(e.getMessage()), DAMAGED);
        }
    }

    private Slot slot(int id) throws IOException {
        Owner owner = owner(id);
        return new Slot(id, mark(id), owner == null ? null : owner.value());
    }

    /** The owner of a worker id if it is present: alive and in time. */
    private @Nullable Owner owner(int id) throws IOException {
        Owner owner = entry(id);
        return owner != null && owner.isInTime() && folder.lock().isHeld(owner.lockedByte()) ? owner : null;
    }

    private @Nullable Owner entry(int id) {
        try {
            return Owner.parse(folder.read(folder.worker(id)));
        } catch (IOException unreadable) {
            return null;
        }
    }

    private static boolean same(@Nullable Stored expected, @Nullable Stored actual) {
        return expected == null
                ? actual == null
                : actual != null
                        && actual.version() != DAMAGED
                        && expected.value().equals(actual.value());
    }

    private CasResult.@Nullable Rejected compare(int id, Stored mark, Stored meta) throws IOException {
        Slot slot = slot(id);
        Stored now = stored(folder.meta());
        return same(mark, slot.mark()) && same(meta, now) ? null : new CasResult.Rejected(now, slot);
    }

    private CasResult put(Path file, String next, boolean ownerHeld) throws IOException {
        return applied(next, folder.write(file, next), ownerHeld);
    }

    private static CasResult applied(String next, boolean durable, boolean ownerHeld) {
        return durable
                ? new CasResult.Applied(new Stored(next, 0), ownerHeld)
                : new CasResult.Unknown(new CoordinatorException("written, but the folder could not be synced", false));
    }

    private Owner newOwner(FileLock lock, String value) {
        return new Owner(
                lock.position(),
                Instant.ofEpochMilli(System.currentTimeMillis()).plus(timeToLive),
                value);
    }

    private boolean isMine(@Nullable Owner owner, @Nullable FileLock lock) {
        return owner != null && lock != null && lock.position() == owner.lockedByte();
    }

    /** After the mark was written, hence no reason to call the extension a failure. */
    private boolean renew(int id, String owner) {
        FileLock lock = held.get(owner);
        Owner entry = entry(id);
        if (entry == null || lock == null || !isMine(entry, lock) || !lock.isValid() || !entry.isInTime()) {
            removeOwner(id, owner);
            return false;
        }
        try {
            Path prepared =
                    folder.prepare(folder.worker(id), newOwner(lock, owner).line(), false);
            return isRenamed(prepared, folder.worker(id));
        } catch (IOException e) {
            // The owner lives on until its old instant.
            return false;
        }
    }

    private static boolean isRenamed(Path prepared, Path file) {
        try {
            NamespaceFolder.rename(prepared, file);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Deletes the owner file if it is ours, and lets go of our sign of life in any case. */
    private void removeOwner(int id, String owner) {
        FileLock lock = held.get(owner);
        if (isMine(entry(id), lock)) {
            NamespaceFolder.delete(folder.worker(id));
        }
        letGo(held.remove(owner));
    }

    private static void letGo(@Nullable FileLock lock) {
        if (lock == null) {
            return;
        }
        try {
            ProcessLock.letGo(lock);
        } catch (IOException e) {
            // The time to live clears what could not be unlocked.
        }
    }
}
