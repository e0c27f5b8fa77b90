// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.snowflakeid.runtime.Launcher;

/** With the CDI, the Jakarta REST and the JSON of the application, and without MicroProfile Config. */
@Tag("nightly")
class TomcatIT extends OtherServerContract {

    private final Path archive = withLibraries();

    TomcatIT() {
        super("tomcat");
    }

    @Override
    Launcher launcher(Path deployments) {
        return new Tomcat(deployments);
    }

    /** The file in the WAR is for MicroProfile Config. */
    @Override
    Map<String, String> settings() {
        return Map.of(
                "SNOWFLAKE_GENERATORS_ORDERS_WORKER_ID_BITS", "2",
                "SNOWFLAKE_GENERATORS_ORDERS_SEQUENCE_BITS", "20");
    }

    @Override
    Path archive() {
        return archive;
    }

    private static Path withLibraries() {
        Path whole = Path.of("target/application-with-libraries.war");
        Set<String> written = new HashSet<>();
        try (ZipOutputStream war = new ZipOutputStream(Files.newOutputStream(whole))) {
            add(ServerContract.WAR, war, written);
            add(Path.of("target/servlet-libraries.war"), war, written);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return whole;
    }

    private static void add(Path from, ZipOutputStream war, Set<String> written) throws IOException {
        try (ZipInputStream entries = new ZipInputStream(Files.newInputStream(from))) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                if (written.add(entry.getName())) {
                    war.putNextEntry(new ZipEntry(entry.getName()));
                    entries.transferTo(war);
                }
            }
        }
    }
}
