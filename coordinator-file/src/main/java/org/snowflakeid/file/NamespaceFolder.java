// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.file.Versions.DamagedException;
import org.snowflakeid.files.LocalFileSystems;

/** Where the records of one namespace are: {@code meta/}, {@code marks/<n>/} and {@code processes/}; and what may be wrong with it. */
final class NamespaceFolder {

    /** Of one name, on all file systems that are in use. */
    private static final int MAX_NAME_BYTES = 255;

    private final String generator;
    private final Path directory;
    private final Path folder;

    /** Records whose folder was found to be on a local disk, and is there after a crash. */
    private final Set<Path> usable = new HashSet<>();

    /** Folders whose entries may not be on the disk yet. */
    private final Set<Path> unforced = new HashSet<>();

    private boolean seen;

    /** On which the namespace was last; null: it was not there yet. */
    private @Nullable Object disk;

    /**
     * @param generator for messages
     * @param directory what the user named, the namespace is a folder below it
     */
    NamespaceFolder(String generator, Path directory, String namespace) {
        this.generator = generator;
        this.directory = directory;
        this.folder = directory.resolve(namespace);
    }

    /** @param key of a record, which begins with the namespace */
    Path record(String key) {
        return directory.resolve(key);
    }

    Path processes() {
        return folder.resolve("processes");
    }

    /** What is in a folder, nothing if that is absent. */
    static List<Path> list(Path parent) throws IOException {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(parent)) {
            files.forEach(all::add);
        } catch (NoSuchFileException absent) {
            return all;
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    /** A directory that was there and is not is no empty one; nor is where a link leads if that is not there. */
    void requireThere() {
        for (Path each = folder; each != null && !Files.exists(each); each = each.getParent()) {
            if (Files.isSymbolicLink(each)) {
                throw new CoordinatorException(
                        each + " is a link, and where it leads is gone. Is its disk mounted?", false);
            }
        }
        if (Files.isDirectory(directory)) {
            seen = true;
            requireDisk();
        } else if (seen) {
            throw gone(directory);
        }
    }

    private static CoordinatorException gone(Path place) {
        return new CoordinatorException(place + " is gone. Is its disk mounted?", false);
    }

    /** Where a disk was mounted that is away, there is an empty folder of another one. */
    private void requireDisk() {
        Path there = Files.isDirectory(folder) ? folder : directory;
        Object now;
        try {
            now = Files.getAttribute(there, "unix:dev");
        } catch (UnsupportedOperationException | IOException notTold) {
            return;
        }
        if (Files.isDirectory(folder.resolve("meta"))) {
            disk = now;
        } else if (disk != null && !disk.equals(now)) {
            throw gone(folder);
        }
    }

    /**
     * Requires that a record is on a local disk, with the way to it on that disk.
     *
     * @param create whether its folder may have to be made; else it is there, or was lost
     */
    void require(Path record, boolean create) throws IOException {
        if (usable.contains(record) && (Files.isDirectory(record) || !create)) {
            return;
        }
        String typeAbove = "";
        // What is below may be a link, or mounted there.
        for (Path each : way(record)) {
            if (create) {
                create(each);
            }
            String type = Files.getFileStore(each).type();
            requireLocal(directory, each, type);
            if (!type.equals(typeAbove)) {
                Surroundings.warn(generator, directory, each, type);
                typeAbove = type;
            }
            // Another process may have made it, and been killed before it forced anything.
            unforced.add(each);
        }
        for (Path folderAbove : List.copyOf(unforced)) {
            if (!Files.notExists(folderAbove)) {
                Versions.force(folderAbove);
            }
            unforced.remove(folderAbove);
        }
        usable.add(record);
    }

    /** From the directory to a record, with both. */
    private List<Path> way(Path record) {
        List<Path> way = new ArrayList<>(List.of(directory));
        for (Path name : directory.relativize(record)) {
            way.add(way.get(way.size() - 1).resolve(name));
        }
        return way;
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
                            + "), where writes of other hosts may not be seen and ids would repeat. Name a folder on a"
                            + " local disk, or use the etcd or the ZooKeeper coordinator.",
                    true);
        }
    }

    /** @param complaint to follow the name of the folder */
    CoordinatorException failure(String complaint, boolean permanent) {
        return new CoordinatorException(
                FileCoordinatorProvider.DIRECTORY + "=" + directory + " " + complaint, permanent);
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
            return "No folder can be created in " + there + ". Name another one.";
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
}
