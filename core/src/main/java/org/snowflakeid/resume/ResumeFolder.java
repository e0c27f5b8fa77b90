// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.resume;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.files.LocalFileSystems;

/**
 * A folder on a local disk: {@code <namespace>/workers/<n>.notes/<number>}, and beside each complete note an empty file, its seal, named {@code
 * <number>.<identity>}.
 *
 * <p>The first line of a note names the start of the machine. The seal names the device, inode and ctime of the note's file; only the system sets a
 * ctime. So a copy that is put back is noticed: inodes are used again, and writing over a file keeps its inode, but not its ctime.
 *
 * <p>The folder of a worker id holds only a few files at a time, so that the system lists them in one step.
 */
public final class ResumeFolder implements ResumeDirectory {

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final String BOOT = "boot=";

    private static final String SUFFIX = ".notes";

    /** The digest of the settings could be used to guess them. */
    private static final FileAttribute<Set<PosixFilePermission>> FOR_ITS_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Far more than is ever written. */
    private static final int MAX_BYTES = 1 << 16;

    private final Settings settings;
    private final Path directory;
    private final Path folder;
    private final Path bootIdFile;
    private final SpareDescriptors spare;

    /** Of this start of the machine; empty: not read yet. */
    private volatile String boot = "";

    public ResumeFolder(Settings settings) {
        this(settings, BOOT_ID);
    }

    /** @param bootIdFile names the start of the machine */
    public ResumeFolder(Settings settings, Path bootIdFile) {
        this.settings = settings;
        this.directory = settings.resumeDirectory().orElseThrow();
        // No part of a namespace has this name.
        this.folder = directory.resolve(settings.namespace()).resolve("workers");
        this.bootIdFile = bootIdFile;
        this.spare = new SpareDescriptors(bootIdFile);
    }

    @Override
    public void require() {
        try {
            String unused = boot();
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
                                + "), where files of other hosts may not be seen and ids would repeat. Name a folder on a"
                                + " local disk, or in memory, such as one below /run.",
                        null);
            }
            Files.createDirectories(folder);
            boolean unused = probe();
        } catch (IOException e) {
            throw refuse(
                    "can't be written: " + e
                            + ". Give this process the right to write there, make room on the disk, or name another folder.",
                    e);
        }
    }

    private String boot() throws IOException {
        if (boot.isEmpty()) {
            // By a stream, since an interrupt closes a channel.
            try (FileInputStream in = new FileInputStream(bootIdFile.toFile())) {
                boot = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
        }
        return boot;
    }

    private InvalidSettingsException refuse(String complaint, @Nullable Throwable cause) {
        InvalidSettingsException refused = new InvalidSettingsException(List.of("snowflake '" + settings.generator()
                + "': " + SnowflakeKeys.RESUME_DIRECTORY + "=" + directory + " " + complaint));
        if (cause != null) {
            refused.initCause(cause);
        }
        return refused;
    }

    /** Tries to write as much as a note may ever take. */
    private boolean probe() throws IOException {
        Path probe = folder.resolve("probe-" + UUID.randomUUID());
        boolean deleted;
        try {
            create(probe, new byte[8192]);
        } finally {
            deleted = Files.deleteIfExists(probe);
        }
        force(folder);
        return deleted;
    }

    @Override
    public List<Integer> workerIds() throws IOException {
        Set<Integer> ids = new TreeSet<>();
        for (String name : names(folder)) {
            if (name.matches("\\d{1,7}(\\" + SUFFIX + ")?")) {
                ids.add(Integer.valueOf(name.replace(SUFFIX, "")));
            }
        }
        return List.copyOf(ids);
    }

    @Override
    public Notes notes(int workerId) {
        return new NotesOf(workerId);
    }

    @Override
    public void close() {
        spare.close();
    }

    private static SortedSet<String> names(Path folder) throws IOException {
        SortedSet<String> names = new TreeSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            files.forEach(file -> names.add(folder.relativize(file).toString()));
        } catch (NoSuchFileException e) {
            // Nothing was written there, or it was deleted.
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    /** Device, inode and ctime of a file; null where there is none. */
    private static @Nullable String identityOf(Path file) throws IOException {
        try {
            Map<String, Object> known = Files.readAttributes(file, "unix:dev,ino,ctime", LinkOption.NOFOLLOW_LINKS);
            return known.get("dev") + "-" + known.get("ino") + "-" + known.get("ctime");
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** The name comes last, by a link, which replaces nothing. Written by a stream, since an interrupt closes a channel. */
    private static void create(Path file, byte[] bytes) throws IOException {
        Path nameless = Files.createTempFile(file.getParent(), file.getFileName() + ".", "", FOR_ITS_OWNER);
        try {
            try (FileOutputStream out = new FileOutputStream(nameless.toFile())) {
                out.write(bytes);
                out.getFD().sync();
            }
            Path unused = Files.createLink(file, nameless);
        } finally {
            boolean unused = Files.deleteIfExists(nameless);
        }
    }

    /** Only a channel can force a folder. If an interrupt closes it, another one is used; the interrupt is kept. */
    private static void force(Path folder) throws IOException {
        boolean interrupted = false;
        try {
            for (boolean done = false; !done; ) {
                try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                    channel.force(true);
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

    private final class NotesOf implements Notes {
        private final Path ofEarlierVersions;
        private final Path notes;

        NotesOf(int workerId) {
            this.ofEarlierVersions = folder.resolve(Integer.toString(workerId));
            this.notes = folder.resolve(workerId + SUFFIX);
        }

        /** Sorts notes by number, and a note before its seal. */
        private static String name(long number) {
            return String.format(Locale.ROOT, "%018d", number);
        }

        private Path file(long number) {
            return notes.resolve(name(number));
        }

        private Path sealOf(long number, String identity) {
            return notes.resolve(name(number) + "." + identity);
        }

        @Override
        public long highest() throws IOException {
            SortedSet<String> numbers = spare.use(() -> names(notes));
            numbers.removeIf(name -> !name.matches("\\d{18}"));
            return numbers.isEmpty() ? 0 : Long.parseLong(numbers.last());
        }

        @Override
        public @Nullable String read(long number) throws IOException {
            if (number == 0) {
                if (Files.exists(ofEarlierVersions, LinkOption.NOFOLLOW_LINKS)) {
                    throw new VoidException(
                            ofEarlierVersions + " was written by an earlier version. Delete it, and "
                                    + ofEarlierVersions + ".lock.",
                            false);
                }
                return null;
            }
            Path file = file(number);
            String identity = identityOf(file);
            if (identity == null) {
                return null;
            }
            String text;
            // Not Files.readString, whose channel fails when the thread is interrupted.
            try (FileInputStream in = new FileInputStream(file.toFile())) {
                text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
            }
            if (text.isEmpty()) {
                throw new VoidException("the process before gave its worker id back, or could write no note.", true);
            }
            if (!text.startsWith(BOOT + boot() + "\n")) {
                throw new VoidException("this machine was started since it was written.", true);
            }
            if (!Files.exists(sealOf(number, identity), LinkOption.NOFOLLOW_LINKS)) {
                throw new VoidException(
                        file + " was not completed, is a copy, or was put back: what it says was not issued"
                                + " may have been issued since.",
                        false);
            }
            return text.substring(text.indexOf('\n') + 1);
        }

        @Override
        public @Nullable String identity(long number) throws IOException {
            return identityOf(file(number));
        }

        @Override
        public boolean create(long number, String text) throws IOException {
            if (number == 1) {
                Files.createDirectories(notes);
            }
            Path file = file(number);
            try {
                return spare.use(() -> {
                    if (text.isEmpty()) {
                        Path unused = Files.createFile(file, FOR_ITS_OWNER);
                    } else {
                        ResumeFolder.create(file, (BOOT + boot() + "\n" + text).getBytes(StandardCharsets.UTF_8));
                    }
                    return true;
                });
            } catch (FileAlreadyExistsException | NoSuchFileException e) {
                return false;
            }
        }

        @Override
        public void seal(long number, String identity) throws IOException {
            Path unused = spare.use(() -> {
                Path seal = Files.createFile(sealOf(number, identity), FOR_ITS_OWNER);
                force(notes);
                return seal;
            });
        }

        @Override
        public void deleteBelow(long number) {
            try {
                for (String name : spare.use(() -> names(notes)).headSet(name(number))) {
                    boolean unused = Files.deleteIfExists(notes.resolve(name));
                }
            } catch (IOException e) {
                // The next note tries again.
            }
        }
    }
}
