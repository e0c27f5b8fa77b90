// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/**
 * One namespace on disk: {@code meta}, {@code marks/<n>} and {@code workers/<n>}, each one line of text, and {@code .lock}.
 *
 * <p>A file is replaced as a whole: written beside it, forced to the disk, renamed over it, and the folder forced too. A
 * process killed in between leaves the old line or the new one, and perhaps a {@code .tmp} that the next write overwrites.
 * Each line ends in a line feed, so that a file which lost its end is noticed and never taken for a value or for absent.
 */
final class NamespaceFolder {

    private static final boolean FOLDERS_CAN_BE_FORCED =
            !System.getProperty("os.name", "").startsWith("Windows");

    /** From here on one directory listing is cheaper than asking for each file. */
    private static final int MANY = 32;

    private final Path directory;
    private final Path folder;
    private final Path marks;
    private final Path workers;

    /** Folders whose entries may not be on the disk yet. */
    private final Set<Path> unforced = new HashSet<>();

    private @Nullable ProcessLock lock;
    private boolean seen;

    /** @param directory what the user named, the namespace is a folder below it */
    NamespaceFolder(Path directory, String namespace) {
        this.directory = directory;
        this.folder = directory.resolve(namespace);
        this.marks = folder.resolve("marks");
        this.workers = folder.resolve("workers");
    }

    Path meta() {
        return folder.resolve("meta");
    }

    Path mark(int id) {
        return marks.resolve(Integer.toString(id));
    }

    Path worker(int id) {
        return workers.resolve(Integer.toString(id));
    }

    /** After {@link #enter}. */
    ProcessLock lock() {
        if (lock == null) {
            throw new IllegalStateException("not entered");
        }
        return lock;
    }

    /**
     * Waits for the exclusive lock, creating what is absent at first.
     *
     * @return null if the thread was interrupted
     * @throws CoordinatorException if it was not had in time, or the folder can't be used
     */
    ProcessLock.@Nullable Exclusive enter(long timeoutNanos) throws IOException {
        long deadline = System.nanoTime() + timeoutNanos;
        while (true) {
            ProcessLock current = opened();
            ProcessLock.Exclusive exclusive = current.acquire(deadline - System.nanoTime());
            if (exclusive == null) {
                if (Thread.currentThread().isInterrupted()) {
                    return null;
                }
                throw new CoordinatorException(
                        "another process holds " + folder.resolve(ProcessLock.NAME)
                                + " for longer than the time allowed. Is one of them stopped, or its disk stuck?",
                        false);
            }
            boolean usable = false;
            try {
                // Deleted or replaced while we waited? Then the lock guards nothing.
                usable = current.isCurrent();
                if (usable) {
                    forceWhatIsUnforced();
                    return exclusive;
                }
            } catch (IOException | RuntimeException e) {
                usable = false;
                throw e;
            } finally {
                if (!usable) {
                    exclusive.close();
                }
            }
        }
    }

    private ProcessLock opened() throws IOException {
        if (lock != null && lock.isCurrent()) {
            return lock;
        }
        if (seen && !Files.isDirectory(directory)) {
            // With the lock file still open: it may come back, and what is held with it.
            throw new CoordinatorException(directory + " is gone. Is its disk mounted?", false);
        }
        close();
        create(directory);
        requireLocal(directory);
        create(marks);
        create(workers);
        ProcessLock opened = ProcessLock.open(folder);
        lock = opened;
        unforced.add(folder);
        seen = true;
        return opened;
    }

    /** Creates a folder and what is absent above it, and remembers where entries were added. */
    private void create(Path path) throws IOException {
        for (Path each = path; Files.notExists(each); ) {
            Path parent = each.getParent();
            if (parent == null) {
                break;
            }
            unforced.add(parent);
            each = parent;
        }
        Files.createDirectories(path);
    }

    private static void requireLocal(Path path) throws IOException {
        String type = Files.getFileStore(path).type();
        if (!LocalFileSystems.isLocal(type) || path.toString().startsWith("\\\\")) {
            throw new CoordinatorException(
                    FileCoordinatorProvider.DIRECTORY + "=" + path + " is on a shared file system (" + type
                            + "), where locks of other hosts may not be seen and ids would repeat. Name a folder on a"
                            + " local disk, or use the etcd or the ZooKeeper coordinator.",
                    true);
        }
    }

    /** Which marks there may be. */
    Presence marks(int fromId, int toId) throws IOException {
        return presence(marks, fromId, toId);
    }

    /** Which owners there may be. */
    Presence workers(int fromId, int toId) throws IOException {
        return presence(workers, fromId, toId);
    }

    private static Presence presence(Path parent, int fromId, int toId) throws IOException {
        if (toId - fromId < MANY) {
            return id -> true;
        }
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(parent)) {
            files.forEach(file -> names.add(parent.relativize(file).toString()));
        } catch (NoSuchFileException e) {
            return id -> false;
        }
        return id -> names.contains(Integer.toString(id));
    }

    interface Presence {
        boolean mayExist(int id);
    }

    /** The line in a file; null only if the file is certainly absent. */
    @Nullable
    String read(Path file) throws IOException {
        // Asked first: FileInputStream reports "too many open files" and "permission denied" as if it were absent, too.
        if (Files.notExists(file)) {
            return null;
        }
        byte[] bytes;
        // Not Files.readAllBytes, whose channel fails when the thread is interrupted.
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            bytes = in.readAllBytes();
        }
        int length = bytes.length - 1;
        if (length >= 1 && bytes[length] == '\n') {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, 0, length))
                        .toString();
            } catch (CharacterCodingException e) {
                // Damaged, as below.
            }
        }
        throw new CoordinatorException(
                file + " is damaged: " + bytes.length
                        + " bytes that are not one line of text. Restore the disk, or begin a"
                        + " new namespace; a mark that was made up or deleted may lead to ids that were issued before.",
                true);
    }

    /**
     * Replaces the line in a file, durably.
     *
     * @return false if it stands there, but the folder could not be forced to the disk
     * @throws IOException and nothing is changed
     */
    boolean write(Path file, String line) throws IOException {
        Path temporary = prepare(file, line, true);
        rename(temporary, file);
        unforced.add(file.equals(meta()) ? folder : marks);
        try {
            forceWhatIsUnforced();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static byte[] encode(String line) throws CharacterCodingException {
        ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(line + "\n"));
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    /** Writes a line beside the file it is meant for. */
    Path prepare(Path file, String line, boolean durable) throws IOException {
        Path temporary = file.resolveSibling(".tmp");
        create(marks);
        create(workers);
        byte[] bytes = encode(line);
        try (FileOutputStream out = new FileOutputStream(temporary.toFile())) {
            out.write(bytes);
            if (durable) {
                out.getFD().sync();
            }
        } catch (IOException e) {
            delete(temporary);
            throw e;
        }
        return temporary;
    }

    /** Puts a prepared line in its place. */
    static void rename(Path temporary, Path file) throws IOException {
        try {
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            delete(temporary);
            throw e;
        }
    }

    /** Deletes a file without which things are right, and with which too. */
    static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // A leftover: the next write takes its place.
        }
    }

    private void forceWhatIsUnforced() throws IOException {
        for (Path each : Set.copyOf(unforced)) {
            force(each);
            unforced.remove(each);
        }
    }

    /** An interrupt would close the channel instead, so it has to wait. */
    private static void force(Path folder) throws IOException {
        if (!FOLDERS_CAN_BE_FORCED) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                    channel.force(true);
                    return;
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted() || interrupted;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A failure that changed nothing. */
    CoordinatorException failure(IOException e) {
        boolean unusable = Files.isDirectory(folder) && !Files.isWritable(folder);
        boolean permanent = unusable || e instanceof AccessDeniedException || e instanceof FileAlreadyExistsException;
        String remedy = permanent
                ? "Give this process the right to write there, or name another folder."
                : "Is the disk full or gone?";
        return new CoordinatorException(
                FileCoordinatorProvider.DIRECTORY + "=" + directory + " can't be used: " + e + ". " + remedy,
                e,
                permanent);
    }

    void close() throws IOException {
        ProcessLock closing = lock;
        lock = null;
        if (closing != null) {
            closing.close();
        }
    }
}
