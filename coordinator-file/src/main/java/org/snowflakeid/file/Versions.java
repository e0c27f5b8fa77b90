// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.RecordStore;

/**
 * The versions of one record: a folder with a file for each, named 1, 2, 3 and so on. The record is what the highest says.
 *
 * <p><b>No lock is needed.</b> A POSIX lock falls with any close of its file anywhere in its process, so none may decide who writes.
 * A version appears as a hard link to a file that is complete and on the disk. So it appears whole or not at all, and of all processes
 * that read version k one alone makes k + 1. A process that slept since it read k can make k + 1 once more, long after that was replaced
 * and deleted. So each writer lists the folder after its link: it has written only if its version is the highest. The highest is never
 * deleted, only lower ones, so no list that begins after a version was made shows less than that version.
 *
 * <p><b>A list is one look</b> as long as the system returns all names in one call. With every C library there is room for 2,000 bytes, with
 * most for 32,000. Of two calls the second may no longer have what was highest during the first. Here are a few names of a few bytes: each
 * write deletes the lower versions, and with them what killed writers left.
 *
 * <p><b>Durable.</b> The file is forced before the link, and the folder after it and before anything is deleted: a crash of the machine
 * leaves the version before, the new one, or both.
 */
final class Versions {

    /** Far more than any record of this or a newer release, and far less than is read in a call. */
    private static final int MAX_BYTES = 1 << 20;

    private static final boolean FOLDERS_CAN_BE_FORCED =
            !System.getProperty("os.name", "").startsWith("Windows");

    private final Path folder;
    private final Disk disk;

    Versions(Path folder) {
        this(folder, Versions::force);
    }

    Versions(Path folder, Disk disk) {
        this.folder = folder;
        this.disk = disk;
    }

    /** Below the file system, which forgets what was not forced when its machine crashes. */
    interface Disk {
        /** Forces the entries of a folder. */
        void force(Path folder) throws IOException;
    }

    /** What the record said at one moment. */
    record Version(long number, String text) {}

    /** What is in a file is not what was written there. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        private DamagedException(String message) {
            super(message);
        }
    }

    /**
     * Reads the highest.
     *
     * @return null only if there is certainly none
     * @throws NoSuchFileException if it was replaced meanwhile: read again
     */
    @Nullable
    Version latest() throws IOException {
        long highest = highest(names());
        return highest == 0 ? null : listed(highest);
    }

    /** Reads what a list has just shown as the highest. */
    Version listed(long highest) throws IOException {
        String text = read(file(highest));
        // If it was replaced, this may be the file of a writer that slept until it was deleted.
        if (highest(names()) != highest) {
            throw new NoSuchFileException(file(highest).toString());
        }
        return new Version(highest, text);
    }

    private Path file(long number) {
        return folder.resolve(Long.toString(number));
    }

    private List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            files.forEach(file -> names.add(folder.relativize(file).toString()));
        } catch (NoSuchFileException absent) {
            return names;
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (NotDirectoryException e) {
            if (Files.isRegularFile(folder)) {
                throw new CoordinatorException(
                        folder
                                + " was written by an earlier version of this library, which kept one file for each record."
                                + " Stop all processes that use it, and convert it as docs/coordinator-file.md says.",
                        true);
            }
            throw e;
        }
        return names;
    }

    private static long highest(List<String> names) {
        return names.stream()
                .filter(name -> name.indexOf('.') < 0)
                .mapToLong(Versions::number)
                .max()
                .orElse(0);
    }

    /** Of a version, or of a file that was to become one, {@code <number>.<random>}; 0 for what is neither. */
    private static long number(String name) {
        return name.matches("[1-9]\\d{0,17}(\\.[0-9a-f]+)?") ? Long.parseLong(name.replaceFirst("\\..*", "")) : 0;
    }

    private static String read(Path file) throws IOException {
        // Of a pipe nothing comes, of a device no end.
        if (!Files.readAttributes(file, "isRegularFile").containsValue(true)) {
            throw new DamagedException(file + " is damaged: it is no file.");
        }
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        }
        int length = bytes.length - 1;
        // It ends in a line feed, so that a file which lost its end is noticed.
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
                + " bytes that are not lines of text.");
    }

    /** Writes what is to become a version, durably, under a name of its own. */
    Path prepare(long number, String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text + "\n"));
        if (bytes.remaining() > MAX_BYTES) {
            throw new IOException("a record of " + bytes.remaining() + " bytes would not be read again");
        }
        Path prepared = folder.resolve(
                number + "." + Long.toHexString(ThreadLocalRandom.current().nextLong()));
        try (FileChannel out = FileChannel.open(prepared, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (bytes.hasRemaining()) {
                int unused = out.write(bytes);
            }
            out.force(true);
        } catch (IOException e) {
            delete(prepared);
            throw e;
        }
        return prepared;
    }

    /**
     * Makes a prepared file the next version.
     *
     * @throws IOException if nothing was changed
     */
    RecordStore.Write add(Path prepared, long number) throws IOException {
        List<String> names;
        // Among the threads of this process it is always known who came first; among processes nearly always.
        synchronized (Versions.class) {
            try {
                Files.createLink(file(number), prepared);
            } catch (FileAlreadyExistsException | NoSuchFileException overtaken) {
                // Made by another writer; or replaced since, and what was prepared here deleted with the lower ones.
                return new RecordStore.Write.Rejected();
            } catch (IOException | UnsupportedOperationException e) {
                throw new IOException("no hard link in " + folder + " (" + e + "); its file system must have them", e);
            } finally {
                delete(prepared);
            }
            try {
                names = names();
            } catch (IOException | CoordinatorException e) {
                return unknown(number, "may not be on the disk: " + e);
            }
        }
        if (highest(names) != number) {
            return unknown(number, "was replaced at once, or is not the latest");
        }
        try {
            disk.force(folder);
        } catch (IOException e) {
            return unknown(number, "may not be on the disk: " + e);
        }
        names.stream().filter(name -> isBelow(name, number)).forEach(name -> delete(folder.resolve(name)));
        return new RecordStore.Write.Applied();
    }

    private static boolean isBelow(String name, long number) {
        long its = number(name);
        return its > 0 && (its < number || (its == number && name.indexOf('.') > 0));
    }

    private RecordStore.Write unknown(long number, String reason) {
        return new RecordStore.Write.Unknown(new CoordinatorException(file(number) + " " + reason, false));
    }

    /** Forces the entries of a folder to the disk. */
    static void force(Path folder) throws IOException {
        if (FOLDERS_CAN_BE_FORCED) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // Left for the next write to delete.
        }
    }
}
