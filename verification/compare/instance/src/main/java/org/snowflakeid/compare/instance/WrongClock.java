// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.instance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The wall clock of a process, as another process wants it: wrong by as many milliseconds as stand in a file that both have mapped into memory. */
public final class WrongClock {
    private static volatile ByteBuffer wrongMillis = ByteBuffer.allocate(Long.BYTES);

    private WrongClock() {}

    /** The file is created if need be, and is right then. */
    public static ByteBuffer open(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void follow(Path file) {
        wrongMillis = open(file);
    }

    /** What is called in place of {@link System#currentTimeMillis()}. */
    public static long currentTimeMillis() {
        return System.currentTimeMillis() + wrongMillis.getLong(0);
    }
}
