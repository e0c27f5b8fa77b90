// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.resume;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * File descriptors kept for calls that a generator depends on: otherwise an application that uses up all descriptors would stop its ids, since no
 * note could be written.
 */
final class SpareDescriptors implements Closeable {

    interface Call<T> {
        T run() throws IOException;
    }

    /** Listing a folder takes two, and no other call takes more. */
    private static final int COUNT = 2;

    private final Path file;
    private final List<FileInputStream> spare = new ArrayList<>();
    private int calls;
    private boolean closed;

    /** @param file to be kept open: any that can be read */
    SpareDescriptors(Path file) {
        this.file = file;
    }

    /** Frees the descriptors for a call. Holds no lock meanwhile: the disk may hang. */
    <T> T use(Call<T> call) throws IOException {
        release();
        try {
            return call.run();
        } finally {
            keep();
        }
    }

    private synchronized void release() {
        calls++;
        closeAll();
    }

    private synchronized void keep() {
        calls--;
        try {
            while (calls == 0 && !closed && spare.size() < COUNT) {
                spare.add(new FileInputStream(file.toFile()));
            }
        } catch (IOException e) {
            // Another thread was faster. After the next call there may be some again.
        }
    }

    private void closeAll() {
        for (FileInputStream each : spare) {
            try {
                each.close();
            } catch (IOException e) {
                // It is closed all the same.
            }
        }
        spare.clear();
    }

    /** None are kept any more. */
    @Override
    public synchronized void close() {
        closed = true;
        closeAll();
    }
}
