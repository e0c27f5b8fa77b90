// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.file.Versions.DamagedException;
import org.snowflakeid.file.Versions.Version;
import org.snowflakeid.spi.RecordStore;

/**
 * Records as folders below one directory, each with its {@link Versions}. Only reading decides which process lives: who wrote an owner into
 * a record wrote its {@link SignOfLife} below it, and the owner is not shown where that process is dead.
 */
final class FileStore implements RecordStore {

    /** With this begins the line of an owner in a record of a worker id. */
    private static final String OWNER = "\nexpires=";

    private static final String SIGN = "\nalive=";

    /** From here on one list of all records is cheaper than a look for each. */
    private static final int MANY = 32;

    private static final long PAUSE_NANOS = 1_000_000;

    private final NamespaceFolder folder;
    private final Versions.Disk disk;
    private final SignOfLife sign;

    /** Records whose last version may not be on the disk. Before it is shown it has to be: core takes what it finds of its own for granted. */
    private final Set<Path> doubtful = new HashSet<>();

    private boolean closed;

    FileStore(NamespaceFolder folder) {
        this(folder, Versions::force);
    }

    FileStore(NamespaceFolder folder, Versions.Disk disk) {
        this.folder = folder;
        this.disk = disk;
        this.sign = new SignOfLife(folder.processes());
    }

    @Override
    public synchronized Reading read(List<String> keys, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        Map<String, Entry> entries = new HashMap<>();
        Map<Path, Set<Path>> listed = new HashMap<>();
        Map<String, Boolean> lives = new HashMap<>();
        try {
            requireUsable();
            for (String key : keys) {
                Path record = folder.record(key);
                if (keys.size() < MANY || isListed(record, listed)) {
                    Entry entry = entry(key, record, deadline, lives);
                    if (entry != null) {
                        entries.put(key, entry);
                    }
                }
            }
            if (entries.size() < keys.size()) {
                // What is not there may have gone with its disk just now.
                folder.requireThere();
            }
        } catch (IOException e) {
            throw folder.failure(e);
        }
        return new Reading(entries, Instant.now());
    }

    private static boolean isListed(Path record, Map<Path, Set<Path>> listed) throws IOException {
        Path parent = Objects.requireNonNull(record.getParent());
        Set<Path> present = listed.get(parent);
        if (present == null) {
            present = new HashSet<>(NamespaceFolder.list(parent));
            listed.put(parent, present);
        }
        return present.contains(record);
    }

    private @Nullable Entry entry(String key, Path record, long deadline, Map<String, Boolean> lives)
            throws IOException {
        while (true) {
            if (System.nanoTime() - deadline >= 0) {
                throw new CoordinatorException(
                        record + " could not be read in time. Use a faster disk, or fewer worker ids.", false);
            }
            try {
                // One that is gone has nothing to be forced, and must not look like a disk that fails.
                if (doubtful.contains(record) && Files.exists(record)) {
                    disk.force(record);
                    doubtful.remove(record);
                }
                Version latest = new Versions(record).latest();
                return latest == null ? null : new Entry(withoutDeadOwner(latest.text(), lives), latest);
            } catch (NoSuchFileException replaced) {
                LockSupport.parkNanos(PAUSE_NANOS);
                requireUsable();
            } catch (DamagedException e) {
                // Shown in place of a mark, so that its worker id alone is left alone. It is no version, and never as
                // expected.
                if (key.endsWith("/meta")) {
                    throw e;
                }
                return new Entry(String.valueOf(e.getMessage()), e);
            }
        }
    }

    private String withoutDeadOwner(String text, Map<String, Boolean> lives) {
        int owner = text.indexOf(OWNER);
        int end = text.lastIndexOf(SIGN);
        if (owner < 0 || end < owner) {
            return text;
        }
        boolean lived = lives.computeIfAbsent(text.substring(end + SIGN.length()), sign::isAlive);
        return text.substring(0, lived ? end : owner);
    }

    /** The look comes after what takes long, and immediately before the link. */
    @Override
    public synchronized Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        Path record = folder.record(key);
        Object before = expected == null ? null : expected.version();
        if (before instanceof DamagedException) {
            return new Write.Rejected();
        }
        try {
            requireUsable();
            folder.require(record, before == null);
            long number = before instanceof Version version ? version.number() + 1 : 1;
            Versions versions = new Versions(record, disk);
            Path prepared = versions.prepare(number, next.contains(OWNER) ? next + SIGN + sign.name() : next);
            if (!Objects.equals(before, latestOrNone(versions))) {
                Versions.delete(prepared);
                return new Write.Rejected();
            }
            // Until it is known to be there, whatever ends this.
            doubtful.add(record);
            Write write = versions.add(prepared, number);
            if (!(write instanceof Write.Unknown)) {
                doubtful.remove(record);
            }
            return write;
        } catch (IOException e) {
            throw folder.failure(e);
        }
    }

    /** @return an object equal to no version if there is one that can't be read */
    private static @Nullable Object latestOrNone(Versions versions) throws IOException {
        try {
            return versions.latest();
        } catch (DamagedException | NoSuchFileException other) {
            return other;
        }
    }

    private void requireUsable() {
        if (closed) {
            throw folder.failure("is not used any more: the coordinator was closed.", true);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw folder.failure("was not read or written: the call was interrupted.", false);
        }
        folder.requireThere();
    }

    /** Owners expire by this host's clock, which all its processes share. */
    @Override
    public boolean isWitness() {
        return false;
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            sign.close();
        } catch (IOException e) {
            // The end of the process does the same.
        }
    }
}
