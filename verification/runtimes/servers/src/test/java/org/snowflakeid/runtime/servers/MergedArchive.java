// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** A web archive with what is in others besides, and libraries. */
final class MergedArchive {

    private MergedArchive() {}

    /** @param archives the first that has an entry gives it */
    static Path of(String name, List<Path> archives, Path... libraries) {
        Path whole = Path.of("target", name).toAbsolutePath();
        Set<String> written = new HashSet<>();
        try (ZipOutputStream war = new ZipOutputStream(Files.newOutputStream(whole))) {
            for (Path archive : archives) {
                add(archive, war, written);
            }
            for (Path library : libraries) {
                war.putNextEntry(new ZipEntry("WEB-INF/lib/" + library.getFileName()));
                Files.copy(library, war);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return whole;
    }

    private static void add(Path archive, ZipOutputStream war, Set<String> written) throws IOException {
        try (InputStream in = Files.newInputStream(archive);
                ZipInputStream entries = new ZipInputStream(in)) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                if (written.add(entry.getName())) {
                    war.putNextEntry(new ZipEntry(entry.getName()));
                    entries.transferTo(war);
                }
            }
        }
    }
}
