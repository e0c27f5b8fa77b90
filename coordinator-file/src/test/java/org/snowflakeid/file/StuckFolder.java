// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A namespace whose record can't be read: each look finds that it was just replaced. All its processes wait, each for its timeout. */
final class StuckFolder implements AutoCloseable {

    private final Path link;

    StuckFolder(Path namespace) throws IOException {
        link = Files.createDirectories(namespace.resolve("meta")).resolve("999999999999999999");
        Files.createSymbolicLink(link, namespace.resolve("nowhere"));
    }

    @Override
    public void close() throws IOException {
        Files.delete(link);
    }
}
