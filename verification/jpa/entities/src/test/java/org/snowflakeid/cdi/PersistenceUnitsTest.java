// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.verification.jpa.PortableLine;
import org.snowflakeid.verification.jpa.PortablePurchase;
import org.snowflakeid.verification.jpa.PortableRow;
import org.snowflakeid.verification.jpa.Purchase;

class PersistenceUnitsTest {

    private static final String DESCRIPTOR = "META-INF/persistence.xml";

    @TempDir
    Path folder;

    @Test
    void markedClassesInAJarAreSeen() throws IOException {
        URL descriptor =
                URI.create("jar:" + jar("").toUri() + "!/" + DESCRIPTOR).toURL();

        assertThat(PersistenceUnits.markedClasses(showing(descriptor)))
                .containsExactlyInAnyOrder(PortablePurchase.class, PortableLine.class);
    }

    @Test
    void markedClassesInAJarAreSeenThroughTheUrlsOfOpenLiberty() throws IOException {
        URL descriptor = ofOpenLiberty(jar("").toUri() + "!/" + DESCRIPTOR);

        assertThat(PersistenceUnits.markedClasses(showing(descriptor)))
                .containsExactlyInAnyOrder(PortablePurchase.class, PortableLine.class);
    }

    @Test
    void markedClassesInAWebArchiveAreSeenThroughTheUrlsOfOpenLiberty() throws IOException {
        String classes = "WEB-INF/classes/";
        URL descriptor = ofOpenLiberty(jar(classes).toUri() + "!/" + classes + DESCRIPTOR);

        assertThat(PersistenceUnits.markedClasses(showing(descriptor)))
                .containsExactlyInAnyOrder(PortablePurchase.class, PortableLine.class);
    }

    static class Middle extends PortableRow {}

    /** Not marked itself. */
    static class Order extends Middle {}

    // it was passed over in silence
    @Test
    void aClassWhoseMarkIsInASuperclassOfAnotherJarIsSeen() throws IOException {
        URL inJar = URI.create("jar:"
                        + jar("", List.of(Order.class, PortableLine.class)).toUri() + "!/" + DESCRIPTOR)
                .toURL();
        Path classes = Files.createDirectories(folder.resolve("classes"));
        unzip(folder.resolve("my entities.jar"), classes);
        URL inFolder = classes.resolve(DESCRIPTOR).toUri().toURL();

        for (URL descriptor : List.of(inJar, inFolder)) {
            assertThat(PersistenceUnits.markedClasses(showing(descriptor)))
                    .containsExactlyInAnyOrder(Order.class, PortableLine.class);
        }
    }

    @Test
    void whatIsNoClassFileIsLeftAlone() throws IOException {
        Path classes = Files.createDirectories(folder.resolve("classes/META-INF"));
        Path descriptor = Files.createFile(classes.resolve("persistence.xml"));
        Files.writeString(folder.resolve("classes/Empty.class"), "");
        Files.writeString(folder.resolve("classes/Text.class"), "no class file, but text of some length");

        URL url = descriptor.toUri().toURL();
        List<LogRecord> told = tellsWhile(
                () -> assertThat(PersistenceUnits.markedClasses(showing(url))).isEmpty());

        assertThat(told).isEmpty();
    }

    private static void unzip(Path jar, Path folder) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.write(file, zip.readAllBytes());
            }
        }
    }

    @Test
    void aClassThatDoesNotLoadIsToldAndHidesNoOther() throws IOException {
        URL descriptor =
                URI.create("jar:" + jar("").toUri() + "!/" + DESCRIPTOR).toURL();
        ClassLoader loader = new ClassLoader(showing(descriptor)) {
            @Override
            public Class<?> loadClass(String name) throws ClassNotFoundException {
                if (name.equals(PortablePurchase.class.getName())) {
                    throw new NoClassDefFoundError("what it extends");
                }
                return super.loadClass(name);
            }
        };
        List<LogRecord> told = tellsWhile(
                () -> assertThat(PersistenceUnits.markedClasses(loader)).containsExactly(PortableLine.class));

        assertThat(told).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARNING);
            assertThat(line.getMessage())
                    .contains(PortablePurchase.class.getName() + " could not be looked through")
                    .contains("Add their names to snowflake.claim-at-start.");
        });
    }

    // such a unit was passed over in silence, and later told by a WARNING with a stack trace
    @Test
    void unitsThatAreShownByAnotherProtocolAreToldInOneLine() throws IOException {
        List<URL> descriptors =
                List.of(ofWildFly("/content/shop.war/WEB-INF/classes/"), ofWildFly("/content/shop.war/parts.jar/"));

        List<LogRecord> told = tellsWhile(() ->
                assertThat(PersistenceUnits.markedClasses(showing(descriptors))).isEmpty());

        assertThat(told).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            assertThat(line.getMessage())
                    .contains("beside " + descriptors.get(0) + ", " + descriptors.get(1))
                    .contains("snowflake.claim-at-start");
            assertThat(line.getThrown()).isNull();
        });
    }

    private static URL ofWildFly(String folder) throws IOException {
        return new URL(null, "vfs:" + folder + DESCRIPTOR, new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {}
                };
            }
        });
    }

    private static List<LogRecord> tellsWhile(Runnable task) {
        List<LogRecord> told = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                told.add(line);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(PersistenceUnits.class.getName());
        logger.addHandler(handler);
        try {
            task.run();
        } finally {
            logger.removeHandler(handler);
        }
        return told;
    }

    /** With two that are marked and one that is not. Its name has what a URL has to write otherwise. */
    private Path jar(String root) throws IOException {
        return jar(root, List.of(PortablePurchase.class, PortableLine.class, Purchase.class));
    }

    private Path jar(String root, List<Class<?>> types) throws IOException {
        Path jar = folder.resolve("my entities.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry(root + DESCRIPTOR));
            for (Class<?> type : types) {
                String file = type.getName().replace('.', '/') + ".class";
                zip.putNextEntry(new ZipEntry(root + file));
                try (InputStream in =
                        Objects.requireNonNull(type.getClassLoader().getResourceAsStream(file))) {
                    in.transferTo(zip);
                }
            }
        }
        return jar;
    }

    /** Its connections are none of {@link java.net.JarURLConnection}. */
    private static URL ofOpenLiberty(String jarAndEntry) throws IOException {
        return new URL(null, "wsjar:" + jarAndEntry, new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) throws IOException {
                throw new IOException("of a kind that only Open Liberty knows");
            }
        });
    }

    private static ClassLoader showing(URL descriptor) {
        return showing(List.of(descriptor));
    }

    private static ClassLoader showing(List<URL> descriptors) {
        return new ClassLoader(PersistenceUnitsTest.class.getClassLoader()) {
            @Override
            public Enumeration<URL> getResources(String name) {
                return Collections.enumeration(name.equals(DESCRIPTOR) ? descriptors : List.of());
            }
        };
    }
}
