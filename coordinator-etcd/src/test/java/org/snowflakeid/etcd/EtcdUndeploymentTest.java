// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;

/** An application whose class loader gives no class any more as soon as it has closed its generator, as a server's does. */
@Isolated("it listens to all logs and threads of the JVM")
class EtcdUndeploymentTest {
    private static final int APPLICATIONS = 5;

    private final Queue<String> complaints = new ConcurrentLinkedQueue<>();

    private final Handler logs = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getThrown() != null) {
                complaints.add(entry.getLoggerName() + ": " + entry.getMessage() + ", " + entry.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private static URL[] classPath() throws Exception {
        String path =
                System.getProperty("surefire.real.class.path", System.getProperty("surefire.test.class.path", ""));
        List<URL> urls = new ArrayList<>();
        for (String part :
                (path.isEmpty() ? System.getProperty("java.class.path") : path).split(File.pathSeparator, -1)) {
            urls.add(Path.of(part).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    private WeakReference<ClassLoader> deployAndUndeploy(EtcdServer server) throws Exception {
        URLClassLoader application = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(application);
        try {
            Object settings = Class.forName("org.snowflakeid.SnowflakeSettings", true, application)
                    .getMethod("of", Map.class)
                    .invoke(
                            null,
                            Map.of(
                                    "snowflake.etcd.endpoints",
                                    server.endpoint(),
                                    "snowflake.coordinator",
                                    "etcd",
                                    "snowflake.namespace",
                                    Node.freshNamespace()));
            Class<?> generator = Class.forName("org.snowflakeid.LeasedSnowflake", true, application);
            Object ids = generator.getMethod("open", settings.getClass()).invoke(null, settings);
            assertThat(generator.getMethod("nextId").invoke(ids)).isInstanceOf(Long.class);
            generator.getMethod("close").invoke(ids);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            application.close();
        }
        return new WeakReference<>(application);
    }

    @Test
    void nothingOfItRunsOrIsKeptWhenItsClassesAreGone() throws Exception {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> complaints.add(thread.getName() + ": " + e));
        Logger.getLogger("").addHandler(logs);
        try (EtcdServer server = EtcdServer.start()) {
            for (int i = 0; i < APPLICATIONS; i++) {
                WeakReference<ClassLoader> undeployed = deployAndUndeploy(server);
                await(PATIENCE, () -> {
                    System.gc();
                    return undeployed.get() == null;
                });
            }
            assertThat(complaints).isEmpty();
        } finally {
            Logger.getLogger("").removeHandler(logs);
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }
}
