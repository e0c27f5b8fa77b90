// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback ports for servers that are started later, killed, and started again. The system does not give them to connections, and a lock
 * on a file keeps other test processes from them as long as this JVM lives. So a port is free when its server wants it.
 */
public final class FreePorts {
    private static final int FIRST = 12_000;

    /** Linux gives connections ports from 32768 on; some servers listen on a second port, a thousand above the first. */
    private static final int END = 31_000;

    private static final Path LOCKS =
            Path.of(System.getProperty("java.io.tmpdir"), "test-ports-" + System.getProperty("user.name"));

    /**
     * Those given to this JVM, by port. A lock ends with its channel, and an unreferenced channel ends when it is collected as garbage; a lock ends too
     * when this JVM closes <em>another</em> channel of the same file. So each file is opened once, and stays open.
     */
    private static final Map<Integer, FileChannel> HELD = new HashMap<>();

    private FreePorts() {}

    /** One that was never given before. */
    public static int next() {
        return next(0);
    }

    /** The same, together with the port that is so far above it. */
    static int next(int andAbove) {
        try {
            Files.createDirectories(LOCKS);
            while (true) {
                int port = ThreadLocalRandom.current().nextInt(FIRST, END - andAbove);
                if (isFree(port) && (andAbove == 0 || isFree(port + andAbove))) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isFree(int port) throws IOException {
        return isLocked(port) && isUnused(port);
    }

    /** The file that a process locks to have this port. */
    static Path lockOf(int port) {
        return LOCKS.resolve(Integer.toString(port));
    }

    /** Whether it is ours now, and was not before. The lock ends with this JVM. */
    static synchronized boolean isLocked(int port) throws IOException {
        if (HELD.containsKey(port)) {
            return false;
        }
        FileChannel file = FileChannel.open(lockOf(port), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (file.tryLock() == null) {
            file.close();
            return false;
        }
        HELD.put(port, file);
        return true;
    }

    private static boolean isUnused(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
