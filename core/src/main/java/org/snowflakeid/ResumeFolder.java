// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.LocalFileSystems;

/**
 * A folder on a local disk: {@code <namespace>/workers/<n>}, replaced as a whole, and {@code <n>.lock}, never replaced.
 *
 * <p>POSIX locks belong to the process, and closing <em>any</em> of its channels on a file drops them. So a lock file that is held in this JVM
 * is not opened a second time, by whatever class loader: those held are in a map in the system properties. Nor is it read or written by its
 * channel, which an interrupt would close.
 *
 * <p>The first line of a file names the start of the machine. The lock file says which file was written last, by its number, and when that
 * was changed last, by the time that nobody can set. So a copy that is put back is noticed: numbers of files are used again, and what is
 * written over a file keeps the file's number, but not that time. Between two writes nothing else changes it.
 */
final class ResumeFolder implements ResumeDirectory {

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final String REGISTRY = "org.snowflakeid.resume.locks";

    private static final String BOOT = "boot=";

    /** What is there of the settings could be guessed at. */
    private static final FileAttribute<Set<PosixFilePermission>> FOR_ITS_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Far more than is ever written. */
    private static final int MAX_BYTES = 1 << 16;

    private final SnowflakeSettings settings;
    private final Path directory;
    private final Path folder;
    private final Path bootIdFile;
    private String boot = "";

    ResumeFolder(SnowflakeSettings settings) {
        this(settings, BOOT_ID);
    }

    /** @param bootIdFile names the start of the machine */
    ResumeFolder(SnowflakeSettings settings, Path bootIdFile) {
        this.settings = settings;
        this.directory = settings.resumeDirectory().orElseThrow();
        // No part of a namespace is called so.
        this.folder = directory.resolve(settings.namespace()).resolve("workers");
        this.bootIdFile = bootIdFile;
    }

    @Override
    public void require() {
        try {
            boot = Files.readString(bootIdFile).strip();
        } catch (IOException e) {
            throw refuse(
                    "needs to know when this machine was started, which only Linux says (" + e
                            + "). Remove it; processes then start when the coordinator can be reached.",
                    e);
        }
        if (!Files.isDirectory(directory)) {
            throw refuse(
                    "is no folder. Create it, or name another one; it must outlive the process, and in a container that"
                            + " takes a volume.",
                    null);
        }
        try {
            String type = Files.getFileStore(directory).type();
            if (!LocalFileSystems.isLocal(type)) {
                throw refuse(
                        "is on a shared file system (" + type
                                + "), where locks of other hosts may not be seen and ids would repeat. Name a folder on a"
                                + " local disk, or in memory, such as one below /run.",
                        null);
            }
            Files.createDirectories(folder);
            String key = keyOf(folder);
            if (key == null) {
                throw refuse(
                        "is on a file system (" + type + ") that does not number its files. Name another one.", null);
            }
            probe();
        } catch (IOException e) {
            throw refuse(
                    "can't be written: " + e
                            + ". Give this process the right to write there, make room on the disk, or name another folder.",
                    e);
        }
    }

    private InvalidSettingsException refuse(String complaint, @Nullable Throwable cause) {
        InvalidSettingsException refused = new InvalidSettingsException(List.of("snowflake '" + settings.generator()
                + "': " + SnowflakeKeys.RESUME_DIRECTORY + "=" + directory + " " + complaint));
        if (cause != null) {
            refused.initCause(cause);
        }
        return refused;
    }

    /** As much as a file may ever take. */
    private void probe() throws IOException {
        Path probe = Files.createTempFile(folder, "probe", "");
        try {
            inSpiteOfInterrupts(() -> {
                try (FileChannel out = FileChannel.open(probe, StandardOpenOption.WRITE)) {
                    writeAll(out, new byte[8192]);
                }
            });
        } finally {
            remove(probe);
        }
        force(folder);
    }

    @Override
    public List<Integer> workerIds() throws IOException {
        List<Integer> ids = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = folder.relativize(file).toString();
                if (name.matches("\\d{1,7}")) {
                    ids.add(Integer.valueOf(name));
                }
            }
        }
        return ids;
    }

    @Override
    public @Nullable Entry lock(int workerId) throws IOException {
        Path file = folder.resolve(workerId + ".lock");
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            // Not by us: nothing was opened or closed.
        }
        String key = keyOf(file);
        if (key == null || registry().putIfAbsent(key, Boolean.TRUE) != null) {
            return null;
        }
        RandomAccessFile opened = null;
        Entry entry = null;
        try {
            if (Files.isSymbolicLink(file)) {
                throw new IOException(file + " is a symbolic link.");
            }
            opened = new RandomAccessFile(file.toFile(), "rw");
            FileLock lock = opened.getChannel().tryLock();
            if (lock != null && key.equals(keyOf(file))) {
                entry = new Held(folder.resolve(Integer.toString(workerId)), opened, key);
            }
        } catch (OverlappingFileLockException e) {
            // Somebody replaced the system properties, and with them the map. Closed, the file would drop that lock.
            opened = null;
        } finally {
            if (entry == null) {
                if (opened != null) {
                    opened.close();
                }
                registry().remove(key);
            }
        }
        return entry;
    }

    @SuppressWarnings("unchecked") // what another class loader's copy of this class has put there
    private static ConcurrentMap<String, Boolean> registry() {
        ConcurrentMap<String, Boolean> fresh = new ConcurrentHashMap<>();
        Object present = System.getProperties().putIfAbsent(REGISTRY, fresh);
        return present == null ? fresh : (ConcurrentMap<String, Boolean>) present;
    }

    /** The number of a file, with that of its disk; null where there is none, or no file. */
    private static @Nullable String keyOf(Path file) throws IOException {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
            return key == null ? null : key.toString().replace(' ', '_');
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static void writeAll(FileChannel out, byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            int unused = out.write(rest);
        }
        out.force(true);
    }

    private static void force(Path folder) throws IOException {
        inSpiteOfInterrupts(() -> {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        });
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Does again what an interrupt ends, by a channel of its own each time. The interrupt is kept: nobody means the disk. */
    private static void inSpiteOfInterrupts(Step step) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            for (boolean done = false; !done; ) {
                try {
                    step.run();
                    done = true;
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void remove(Path file) throws IOException {
        boolean unused = Files.deleteIfExists(file);
    }

    private final class Held implements Entry {
        private final Path file;
        private final Path temporary;
        private final RandomAccessFile locked;
        private final String lockKey;
        private boolean closed;

        Held(Path file, RandomAccessFile locked, String lockKey) {
            this.file = file;
            this.temporary = file.resolveSibling(file.getFileName() + ".tmp");
            this.locked = locked;
            this.lockKey = lockKey;
        }

        @Override
        public @Nullable String read() throws IOException {
            if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
                return null;
            }
            String text;
            // Not Files.readString, whose channel fails when the thread is interrupted.
            try (FileInputStream in = new FileInputStream(file.toFile())) {
                text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
            }
            int end = text.indexOf('\n');
            if (end < 0 || !text.endsWith("\n")) {
                throw new VoidException(file + " is damaged.", false);
            }
            if (!text.substring(0, end).equals(BOOT + boot)) {
                throw new VoidException("this machine was started since it was written.", true);
            }
            if (!lockText().equals(identity())) {
                throw new VoidException(
                        "it, or its lock file, is a copy or was put back: what it says was not issued may have been"
                                + " issued since.",
                        false);
            }
            return text.substring(end + 1);
        }

        private String lockText() throws IOException {
            byte[] bytes = new byte[(int) Math.min(locked.length(), MAX_BYTES)];
            locked.seek(0);
            locked.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }

        /** Of this very file, with this content. */
        private String identity() throws IOException {
            FileTime changed = (FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
            return "file=" + keyOf(file) + " changed=" + changed.toInstant() + "\n";
        }

        @Override
        public void write(String text) throws IOException {
            try {
                inSpiteOfInterrupts(() -> create(text));
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
                force(folder);
                // Whoever is killed before this leaves nothing to be taken over.
                byte[] identity = identity().getBytes(StandardCharsets.UTF_8);
                locked.seek(0);
                locked.write(identity);
                locked.setLength(identity.length);
            } catch (IOException e) {
                try {
                    remove(temporary);
                } catch (IOException stays) {
                    e.addSuppressed(stays);
                }
                throw e;
            }
        }

        private void create(String text) throws IOException {
            remove(temporary);
            try (FileChannel out = FileChannel.open(
                    temporary,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    FOR_ITS_OWNER)) {
                writeAll(out, (BOOT + boot + "\n" + text).getBytes(StandardCharsets.UTF_8));
            }
        }

        @Override
        public void delete() throws IOException {
            remove(file);
            force(folder);
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            closed = true;
            try {
                locked.close();
            } catch (IOException e) {
                // Then it is closed all the same.
            }
            registry().remove(lockKey);
        }
    }
}
