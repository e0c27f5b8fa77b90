// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file that this coordinator keeps locked, by which others see that its process lives. The operating system lets go of the lock when
 * the process ends, however it ends, so that the worker ids of a killed process are free at once.
 *
 * <p>It is a courtesy. Where the lock is lost too early, a worker id is claimed while its holder lives, and that holder finds out at its
 * next extension; where it is held too long, the owner's time to live ends it. It is not by process ids, which are used again and differ between
 * containers.
 */
final class SignOfLife implements AutoCloseable {

    /** Of this JVM, the same for all its class loaders. To close a file of one's own would drop its lock: such a file is never opened. */
    private final String ours;

    private final Path folder;
    private final Locks locks;
    private @Nullable Path file;
    private @Nullable FileChannel channel;

    /** Below the file system, which need not have any. */
    interface Locks {
        /** Whether this process has the lock of the file now. */
        boolean take(FileChannel channel) throws IOException;
    }

    /** @param folder of the signs of all processes; created when it is needed */
    SignOfLife(Path folder) {
        // Not lock(), which would close the channel of an interrupted thread.
        this(folder, channel -> channel.tryLock() != null);
    }

    SignOfLife(Path folder, Locks locks) {
        this.folder = folder;
        this.locks = locks;
        ProcessHandle process = ProcessHandle.current();
        this.ours = process.pid() + "-"
                + process.info().startInstant().map(Instant::toEpochMilli).orElse(0L) + "-";
    }

    /** Gives this sign, and makes it where it is not there. */
    String name() throws IOException {
        while (true) {
            Path current = file;
            if (current != null && Files.exists(current)) {
                return folder.relativize(current).toString();
            }
            close();
            Files.createDirectories(folder);
            deleteThoseOfTheDead();
            Path fresh = folder.resolve(
                    ours + Long.toHexString(ThreadLocalRandom.current().nextLong()));
            FileChannel opened = FileChannel.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            channel = opened;
            file = fresh;
            boolean held = false;
            try {
                // Another process may look just now, and delete it too.
                held = locks.take(opened);
            } finally {
                if (!held) {
                    close();
                }
            }
        }
    }

    private void deleteThoseOfTheDead() throws IOException {
        try (DirectoryStream<Path> signs = Files.newDirectoryStream(folder)) {
            for (Path each : signs) {
                boolean unused = isAlive(folder.relativize(each).toString());
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    /** Whether the process that made a sign lives, as far as can be seen. */
    boolean isAlive(String name) {
        Path sign = folder.resolve(name);
        // Names come from files, and what is found dead is deleted.
        if (!name.matches("\\d+-\\d+-[0-9a-f]+") || !Files.isRegularFile(sign, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        if (name.startsWith(ours)) {
            return true;
        }
        // Shared, so that those who look at the same time do not take each other for the holder.
        try (FileChannel looking = FileChannel.open(sign, StandardOpenOption.READ)) {
            boolean isDead = looking.tryLock(0, Long.MAX_VALUE, true) != null;
            return !isDead || !Files.deleteIfExists(sign);
        } catch (IOException | OverlappingFileLockException unknown) {
            return true;
        }
    }

    /** What the end of the process would do. */
    @Override
    public void close() throws IOException {
        if (file != null) {
            boolean unused = Files.deleteIfExists(file);
            file = null;
        }
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }
}
