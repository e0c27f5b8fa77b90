// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/** One server, two applications, each with its own copy of these classes. */
class ClassLoadersTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @TempDir
    Path directory;

    @Test
    void twoApplicationsOfAServerRespectEachOther() throws Exception {
        try (URLClassLoader first = application();
                URLClassLoader second = application();
                Peer.Remote observer = new Peer.Remote(directory, LONG, "")) {
            UnaryOperator<String> one = peer(first);
            UnaryOperator<String> other = peer(second);

            assertThat(one.getClass()).isNotEqualTo(other.getClass());
            assertThat(one.apply("claim 7 a")).isEqualTo("applied, owner held: true");
            assertThat(other.apply("claim 7 b")).isEqualTo("Rejected");
            assertThat(other.apply("claim 8 b")).isEqualTo("applied, owner held: true");

            assertThat(one.apply("close")).isEqualTo("closed");

            assertThat(observer.tell("owner 8")).isEqualTo("owner-b");
            assertThat(observer.tell("owner 7")).isEqualTo("null");
            assertThat(other.apply("claim 7 c")).isEqualTo("applied, owner held: true");
            assertThat(observer.tell("owner 7")).isEqualTo("owner-c");
            assertThat(other.apply("close")).isEqualTo("closed");
        }
    }

    // applications that used a generator first in CompletableFuture.supplyAsync got "no coordinator is on the class
    // path"
    @Test
    void aGeneratorIsOpenedByThreadsThatBelongToNoApplication() throws Exception {
        List<ClassLoader> ofOthers = List.of(ClassLoader.getSystemClassLoader(), ClassLoader.getPlatformClassLoader());
        for (ClassLoader context : ofOthers) {
            try (URLClassLoader application = application()) {
                AutoCloseable ids = openedOnThreadOf(context, application);

                assertThat(ids.getClass().getClassLoader()).isEqualTo(application);
                ids.close();
            }
        }
    }

    private AutoCloseable openedOnThreadOf(ClassLoader context, ClassLoader application) throws Exception {
        Class<?> settings = application.loadClass(SnowflakeSettings.class.getName());
        Object given = settings.getMethod("of", Map.class)
                .invoke(null, Map.of("snowflake.file.directory", directory.toString()));
        Method open = application.loadClass(LeasedSnowflake.class.getName()).getMethod("open", settings);
        FutureTask<AutoCloseable> opening = new FutureTask<>(() -> (AutoCloseable) open.invoke(null, given));
        Thread thread = new Thread(opening);
        thread.setContextClassLoader(context);
        thread.start();
        return opening.get();
    }

    private static URLClassLoader application() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(new File(entry).toURI().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    @SuppressWarnings("unchecked") // what a Peer is
    private UnaryOperator<String> peer(ClassLoader application) throws Exception {
        return (UnaryOperator<String>) application
                .loadClass(Peer.class.getName())
                .getConstructor(String.class)
                .newInstance(directory + "\n" + LONG);
    }
}
