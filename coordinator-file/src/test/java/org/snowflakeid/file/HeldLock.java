// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The lock of a namespace, kept as by a process that was stopped in the middle of a write. */
final class HeldLock implements AutoCloseable {

    private final ProcessLock lock;
    private final ProcessLock.Exclusive exclusive;

    HeldLock(Path namespace) throws IOException {
        Files.createDirectories(namespace);
        lock = ProcessLock.open(namespace);
        exclusive = lock.acquire(30_000_000_000L);
    }

    @Override
    public void close() throws IOException {
        exclusive.close();
        lock.close();
    }
}
