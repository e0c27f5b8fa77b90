// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The marked classes that lie beside a {@code persistence.xml}. With {@code bean-discovery-mode="annotated"}, which is the usual mode,
 * a container shows an extension no class that is no bean, and so no entity. Only those classes are loaded that refer to a generator, or
 * extend one that does.
 */
final class PersistenceUnits {

    private static final System.Logger LOG = System.getLogger(PersistenceUnits.class.getName());

    private static final String DESCRIPTOR = "META-INF/persistence.xml";

    private PersistenceUnits() {}

    static List<Class<?>> markedClasses(ClassLoader loader) {
        List<Class<?>> marked = new ArrayList<>();
        List<String> unlisted = new ArrayList<>();
        ClassFiles files = new ClassFiles(loader);
        try {
            for (URL descriptor : Collections.list(loader.getResources(DESCRIPTOR))) {
                addMarkedBeside(descriptor, files, loader, marked, unlisted);
            }
        } catch (IOException e) {
            warn("entities", e);
        }
        if (!unlisted.isEmpty()) {
            LOG.log(
                    Level.INFO,
                    "snowflake: the classes beside " + String.join(", ", unlisted)
                            + " can't be listed. Unless the container itself shows the entities there, a generator that only"
                            + " they name is claimed at its first id; snowflake.claim-at-start claims it at the start.");
        }
        return marked;
    }

    private static void addMarkedBeside(
            URL descriptor, ClassFiles classFiles, ClassLoader loader, List<Class<?>> marked, List<String> unlisted) {
        try {
            List<String> names = markedBeside(descriptor, classFiles);
            if (names == null) {
                unlisted.add(descriptor.toString());
                return;
            }
            for (String name : names) {
                try {
                    marked.add(Class.forName(name, false, loader));
                } catch (ClassNotFoundException | LinkageError e) {
                    warn(name, e);
                }
            }
        } catch (IOException | UncheckedIOException | URISyntaxException e) {
            warn("the entities beside " + descriptor, e);
        }
    }

    /** Not refused: it may be none of this application's entities. */
    static void warn(String entities, Throwable cause) {
        LOG.log(
                Level.WARNING,
                "snowflake: " + entities + " could not be looked through, so generators that are named only there are"
                        + " neither claimed nor checked at the start. Add their names to snowflake.claim-at-start.",
                cause);
    }

    /** Null: this is a URL of a kind that only its server knows, such as {@code vfs:} of WildFly. */
    private static @Nullable List<String> markedBeside(URL descriptor, ClassFiles classFiles)
            throws IOException, URISyntaxException {
        if (descriptor.getProtocol().equals("file")) {
            return markedIn(Path.of(descriptor.toURI().resolve("..")), classFiles);
        }
        URLConnection connection = asJar(descriptor).openConnection();
        // Else the file would stay open, or be closed for others.
        connection.setUseCaches(false);
        if (connection instanceof JarURLConnection jar) {
            try (JarFile file = jar.getJarFile()) {
                return markedIn(file, jar.getEntryName().replace(DESCRIPTOR, ""), classFiles);
            }
        }
        return null;
    }

    /** Open Liberty has a protocol of its own for what is in a jar; except for its name it is that of Java. */
    private static URL asJar(URL descriptor) throws IOException, URISyntaxException {
        return descriptor.getProtocol().equals("wsjar")
                ? URI.create("jar:" + descriptor.toURI().getRawSchemeSpecificPart())
                        .toURL()
                : descriptor;
    }

    private static List<String> markedIn(Path root, ClassFiles classFiles) throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file :
                    (Iterable<Path>) files.filter(path -> path.toString().endsWith(".class"))::iterator) {
                if (classFiles.isMarked(Files.readAllBytes(file))) {
                    URI relative = root.toUri().relativize(file.toUri());
                    names.add(className(relative.getPath()));
                }
            }
        }
        return names;
    }

    private static List<String> markedIn(JarFile jar, String root, ClassFiles classFiles) throws IOException {
        List<String> names = new ArrayList<>();
        for (JarEntry entry : Collections.list(jar.entries())) {
            if (entry.getName().startsWith(root) && entry.getName().endsWith(".class")) {
                try (InputStream in = jar.getInputStream(entry)) {
                    if (classFiles.isMarked(in.readAllBytes())) {
                        names.add(className(entry.getName().substring(root.length())));
                    }
                }
            }
        }
        return names;
    }

    private static String className(String path) {
        return path.substring(0, path.length() - ".class".length()).replace('/', '.');
    }
}
