// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.FileInputStream;
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
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.LocalFileSystems;

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

    /** Far more than any line of this or a newer version, and far less than is read in a call. */
    private static final int MAX_BYTES = 1 << 20;

    /** Of one name, on all file systems that are in use. */
    private static final int MAX_NAME_BYTES = 255;

    private final String generator;
    private final Path directory;
    private final Path folder;
    private final Path marks;
    private final Path workers;

    /** Folders whose entries may not be on the disk yet. */
    private final Set<Path> unforced = new HashSet<>();

    private @Nullable ProcessLock lock;
    private boolean seen;

    /**
     * @param generator for messages
     * @param directory what the user named, the namespace is a folder below it
     */
    NamespaceFolder(String generator, Path directory, String namespace) {
        this.generator = generator;
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

    /** Whether there is certainly nothing of this namespace. A folder may be there all the same, of others below it. */
    boolean isAbsent() {
        return !isGone()
                && Files.isDirectory(deepestThere())
                && Stream.of(meta(), marks, workers, folder.resolve(ProcessLock.NAME))
                        .allMatch(part -> Files.notExists(part, LinkOption.NOFOLLOW_LINKS));
    }

    private boolean isGone() {
        return seen && !Files.isDirectory(directory);
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
        if (isGone()) {
            // With the lock file still open: it may come back, and what is held with it.
            throw new CoordinatorException(directory + " is gone. Is its disk mounted?", false);
        }
        close();
        String typeAbove = "";
        // What is below may be a link, or mounted there.
        for (Path each : List.of(directory, folder, marks, workers)) {
            create(each);
            String type = Files.getFileStore(each).type();
            requireLocal(directory, each, type);
            if (!type.equals(typeAbove)) {
                Surroundings.warn(generator, directory, each, type);
                typeAbove = type;
            }
        }
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
        // Before Java 20 that fails where a link leads to a folder.
        if (!Files.isDirectory(path)) {
            Files.createDirectories(path);
        }
    }

    private static void requireLocal(Path directory, Path path, String type) {
        if (!LocalFileSystems.isLocal(type) || path.toString().startsWith("\\\\")) {
            throw new CoordinatorException(
                    Surroundings.named(directory, path) + " is on a shared file system (" + type
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

    /**
     * The line in a file; null only if the file is certainly absent.
     *
     * @throws DamagedException if it holds something else
     */
    @Nullable
    String read(Path file) throws IOException {
        // Asked first: FileInputStream reports "too many open files" and "permission denied" as if it were absent, too.
        if (Files.notExists(file)) {
            return null;
        }
        // Of a pipe nothing comes, of a device no end.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new DamagedException(file + " is damaged: it is no file.");
        }
        byte[] bytes;
        // Not Files.readAllBytes, whose channel fails when the thread is interrupted.
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        }
        int length = bytes.length - 1;
        if (length >= 1 && length < MAX_BYTES && bytes[length] == '\n') {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, 0, length))
                        .toString();
            } catch (CharacterCodingException e) {
                // Damaged, as below.
            }
        }
        throw new DamagedException(file + " is damaged: "
                + (length < MAX_BYTES ? bytes.length : "more than " + MAX_BYTES)
                + " bytes that are not one line of text.");
    }

    /** What is in a file is no line that was written there. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        private DamagedException(String message) {
            super(message);
        }
    }

    /**
     * Replaces the line in a file, durably.
     *
     * @return false if it is there, but the folder could not be forced to the disk
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

    private static byte[] encode(String line) throws IOException {
        ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(line + "\n"));
        if (encoded.remaining() > MAX_BYTES) {
            throw new IOException("a line of " + encoded.remaining() + " bytes would not be read again");
        }
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
        try {
            uninterrupted(() -> create(temporary, bytes, durable));
        } catch (IOException e) {
            delete(temporary);
            throw e;
        }
        return temporary;
    }

    /** Never what a link leads to, wherever it comes from. */
    private static void create(Path file, byte[] bytes, boolean durable) throws IOException {
        boolean unused = Files.deleteIfExists(file);
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                int unusedCount = out.write(rest);
            }
            if (durable) {
                out.force(true);
            }
        }
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

    private static void force(Path folder) throws IOException {
        if (!FOLDERS_CAN_BE_FORCED) {
            return;
        }
        uninterrupted(() -> {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        });
    }

    private interface OnChannel {
        void run() throws IOException;
    }

    /** An interrupt would close the channel instead, so it has to wait. */
    private static void uninterrupted(OnChannel action) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    action.run();
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
        if (e instanceof DamagedException) {
            return new CoordinatorException(
                    e.getMessage()
                            + " Restore the disk, or begin a new namespace; a record or a mark that was made up or deleted may"
                            + " lead to ids that were issued before.",
                    e,
                    true);
        }
        String cure = whatWaitingCannotCure(e);
        return new CoordinatorException(
                FileCoordinatorProvider.DIRECTORY + "=" + directory + " can't be used: " + e + ". "
                        + (cure != null ? cure : whatMayPass()),
                e,
                cure != null);
    }

    /** By looking, since what the system says is in its language. Null: waiting may cure it. */
    private @Nullable String whatWaitingCannotCure(IOException e) {
        for (Path each = folder; each != null; each = each.getParent()) {
            if (Files.exists(each) && !Files.isDirectory(each)) {
                return each + " is no folder. Name another one.";
            }
            Path name = each.getFileName();
            if (name != null && name.toString().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
                return "A name in it, or in snowflake.namespace, is longer than " + MAX_NAME_BYTES
                        + " bytes. Choose a shorter one.";
            }
        }
        Path there = deepestThere();
        if (e instanceof AccessDeniedException || !Files.isWritable(there)) {
            return "Give this process the right to write in " + there + ", or name another folder.";
        }
        if (e instanceof NoSuchFileException && !there.equals(folder) && !seen) {
            return "Nobody can create a folder in " + there + ". Name another one.";
        }
        return e instanceof FileAlreadyExistsException || e instanceof FileSystemLoopException
                ? "Something else is in the way. Remove it, or name another folder."
                : null;
    }

    private Path deepestThere() {
        Path each = folder;
        while (!Files.exists(each) && each.getParent() != null) {
            each = each.getParent();
        }
        return each;
    }

    private String whatMayPass() {
        try {
            if (Files.getFileStore(deepestThere()).getUsableSpace() == 0) {
                return "The disk is full.";
            }
        } catch (IOException e) {
            // Then it is gone, perhaps.
        }
        return "Is the disk full or gone?";
    }

    void close() throws IOException {
        ProcessLock closing = lock;
        lock = null;
        if (closing != null) {
            closing.close();
        }
    }
}
