// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/**
 * An archive as {@code application.war} or {@code application.ear} in a folder that a server watches.
 *
 * @param archive a copy of it is put there
 */
record Deployment(Path archive, Path folder) {

    /** @param name of the folder, among those of the build */
    static Deployment of(Path archive, String name) {
        return new Deployment(archive, Path.of("target", name).toAbsolutePath());
    }

    private Path deployed() {
        String name = archive.getFileName().toString();
        return folder.resolve("application" + name.substring(name.lastIndexOf('.')));
    }

    /** Into an empty folder. */
    void begin() throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> left = Files.list(folder)) {
            for (Path each : (Iterable<Path>) left.filter(Files::isRegularFile)::iterator) {
                Files.delete(each);
            }
        }
        deploy();
    }

    /** At once, so that the server sees no part of it. */
    void deploy() throws IOException {
        Path partial = Files.copy(
                archive, folder.resolveSibling(folder.getFileName() + ".part"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(partial, deployed(), StandardCopyOption.ATOMIC_MOVE);
    }

    void undeploy() throws IOException {
        // WildFly writes such a file, and goes by it alone.
        Files.deleteIfExists(Path.of(deployed() + ".deployed"));
        Files.delete(deployed());
    }
}
