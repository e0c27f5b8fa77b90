// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where the file coordinator keeps the record of a namespace. */
final class RecordFile {

    private RecordFile() {}

    /** @param namespace its folder */
    static Path of(Path namespace) throws IOException {
        try (Stream<Path> versions = Files.list(namespace.resolve("meta"))) {
            List<Path> all = versions.toList();
            if (all.size() != 1) {
                throw new IllegalStateException("one version expected, found " + all);
            }
            return all.get(0);
        }
    }
}
