// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * Takes one worker id from others without end, while this process loses its locks in one way. The mark counts its writes, {@code n=<count>};
 * each that was applied is noted in this process's own journal.
 */
final class Rival {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int MANY = 10;

    private Rival() {}

    /** How a process loses the locks that it believes to hold. */
    enum Loss {
        /** A backup or a scanner in the process reads all files, and closes them. */
        SCANNER {
            @Override
            void happen(Path directory) throws IOException {
                try (Stream<Path> files = Files.walk(directory)) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        byte[] unused = Files.readAllBytes(file);
                    }
                }
            }
        },

        /** The system properties are replaced, and with them what all generators of the process share. */
        PROPERTIES {
            @Override
            void happen(Path directory) throws ReflectiveOperationException {
                openAndClose(() -> {
                    Properties fresh = new Properties();
                    System.getProperties()
                            .stringPropertyNames()
                            .forEach(name -> fresh.put(name, System.getProperty(name)));
                    System.setProperties(fresh);
                    return new Peer(directory + "\n" + LONG);
                });
            }
        },

        /** Another application of the same server uses the same folder, and its copy of the classes knows nothing of this one. */
        CLASS_LOADER {
            @Override
            @SuppressWarnings("unchecked") // what a Peer is
            void happen(Path directory) throws IOException, ReflectiveOperationException {
                List<URL> urls = new ArrayList<>();
                for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                    urls.add(new File(entry).toURI().toURL());
                }
                try (URLClassLoader application =
                        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                    openAndClose(() -> {
                        forgetWhatIsShared();
                        return (UnaryOperator<String>) application
                                .loadClass(Peer.class.getName())
                                .getConstructor(String.class)
                                .newInstance(directory + "\n" + LONG);
                    });
                }
            }
        },

        /** A generator that is never closed becomes garbage, and its files with it. */
        GARBAGE {
            @Override
            void happen(Path directory) {
                for (int i = 0; i < MANY; i++) {
                    forgetWhatIsShared();
                    String unused = new Peer(directory + "\n" + LONG).apply("owner 7");
                }
                System.gc();
            }
        };

        abstract void happen(Path directory) throws IOException, ReflectiveOperationException;
    }

    private interface Opening {
        UnaryOperator<String> open() throws ReflectiveOperationException;
    }

    /** Closes some in the middle of what this process writes. */
    private static void openAndClose(Opening opening) throws ReflectiveOperationException {
        List<UnaryOperator<String>> others = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            UnaryOperator<String> other = opening.open();
            others.add(other);
            String unused = other.apply("owner 7");
        }
        for (UnaryOperator<String> other : others) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000));
            String unused = other.apply("close");
        }
    }

    /** As for the copy of these classes in another class loader, if they shared nothing. */
    private static void forgetWhatIsShared() {
        System.getProperties().keySet().removeIf(key -> key.toString().startsWith("org.snowflakeid"));
    }

    /** @param arguments the folder of the namespace's directory, that of the journals, and a {@link Loss} */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        String token = Long.toString(ProcessHandle.current().pid());
        Thread losing = new Thread(
                () -> loseForEver(directory, Loss.valueOf(arguments[2]), losses(Path.of(arguments[1], token))),
                "losing");
        losing.setDaemon(true);
        losing.start();
        try (WorkerCoordinator coordinator = Peer.open(directory, LONG);
                FileOutputStream journal =
                        new FileOutputStream(Path.of(arguments[1], token).toFile())) {
            while (true) {
                try {
                    take(coordinator, token, journal);
                } catch (CoordinatorException nothingChanged) {
                    // Others were in the way; the next attempt reads again.
                }
            }
        }
    }

    /** Where the process with this journal notes that it has lost locks. */
    static Path losses(Path journal) {
        return journal.resolveSibling(journal.getFileName() + ".losses");
    }

    private static void loseForEver(Path directory, Loss loss, Path losses) {
        while (true) {
            try {
                loss.happen(directory);
                Files.writeString(losses, ".", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException | UncheckedIOException | CoordinatorException e) {
                // A file is gone by now, or others were in the way.
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void take(WorkerCoordinator coordinator, String token, FileOutputStream journal) throws IOException {
        CasResult unused = coordinator.writeMeta(null, "meta", TIMEOUT);
        Stored mark = coordinator.read(7, 7, TIMEOUT).slots().get(0).mark();
        long count = mark == null ? 1 : Hammer.count(mark) + 1;
        CasResult claimed = coordinator.claim(
                7, mark, "n=" + count + " token=" + token, token, true, new Stored("meta", 0), TIMEOUT);
        if (claimed instanceof CasResult.Applied) {
            journal.write((count + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }
}
