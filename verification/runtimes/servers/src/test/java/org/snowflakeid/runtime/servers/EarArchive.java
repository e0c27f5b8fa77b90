// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.function.Predicate;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** An archive of the same web application twice, with the library and its settings in its {@code lib} and not in theirs. */
final class EarArchive {

    private static final String LIBRARIES = "WEB-INF/lib/";

    private static final String MODULES = """
            <application xmlns="https://jakarta.ee/xml/ns/jakartaee" version="10">
              <module><web><web-uri>first.war</web-uri><context-root>/application</context-root></web></module>
              <module><web><web-uri>second.war</web-uri><context-root>/second</context-root></web></module>
              <library-directory>lib</library-directory>
            </application>
            """;

    private EarArchive() {}

    static Path of(String name, Path war, String settings) {
        Path whole = Path.of("target", name).toAbsolutePath();
        Path web = Path.of("target", name + ".war").toAbsolutePath();
        try (ZipFile archive = new ZipFile(war.toFile());
                ZipOutputStream ear = new ZipOutputStream(Files.newOutputStream(whole))) {
            copy(archive, Files.newOutputStream(web), entry -> !isShared(entry));
            add("META-INF/application.xml", MODULES.getBytes(StandardCharsets.UTF_8), ear);
            add("lib/settings.jar", jar("META-INF/microprofile-config.properties", settings), ear);
            add("first.war", Files.readAllBytes(web), ear);
            add("second.war", Files.readAllBytes(web), ear);
            for (Enumeration<? extends ZipEntry> each = archive.entries(); each.hasMoreElements(); ) {
                ZipEntry entry = each.nextElement();
                if (isShared(entry.getName())) {
                    byte[] library = archive.getInputStream(entry).readAllBytes();
                    add("lib/" + entry.getName().substring(LIBRARIES.length()), library, ear);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return whole;
    }

    /** Not what answers requests: servers look for that in web applications. */
    private static boolean isShared(String entry) {
        return entry.matches(LIBRARIES + ".+\\.jar")
                && !entry.matches(LIBRARIES + "snowflake-(examples|rest|runtime).*");
    }

    private static void copy(ZipFile archive, OutputStream to, Predicate<String> wanted) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(to)) {
            for (Enumeration<? extends ZipEntry> each = archive.entries(); each.hasMoreElements(); ) {
                ZipEntry entry = each.nextElement();
                if (wanted.test(entry.getName())) {
                    add(entry.getName(), archive.getInputStream(entry).readAllBytes(), out);
                }
            }
        }
    }

    private static byte[] jar(String name, String content) throws IOException {
        ByteArrayOutputStream jar = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(jar)) {
            add(name, content.getBytes(StandardCharsets.UTF_8), out);
        }
        return jar.toByteArray();
    }

    private static void add(String name, byte[] content, ZipOutputStream archive) throws IOException {
        archive.putNextEntry(new ZipEntry(name));
        archive.write(content);
    }
}
