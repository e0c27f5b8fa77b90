// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SharingContract;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.TcpProxy;

/** What several generators of an application share, and what is left of it when they are closed. */
@Isolated("it looks at all threads of the JVM")
class ConsulSharingTest extends SharingContract {
    private static ConsulServer server;

    private final TcpProxy proxy = TcpProxy.to(server.clientPort());

    @BeforeAll
    static void startServer() {
        server = ConsulServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected Map<String, String> settings() {
        return Map.of("snowflake.consul.url", url(), "snowflake.window", "PT9S");
    }

    @Override
    protected Map<String, String> elsewhere() {
        return Map.of("snowflake.consul.url", "http://localhost:" + proxy.port());
    }

    /**
     * One thread is the JDK's client; those between are there from time to time. A client has as many
     * connections as it ever had requests under way: those of calls that were not waited for, among others.
     */
    @Override
    protected void awaitShared(int connections) {
        await(
                PATIENCE,
                () -> names().stream()
                                        .filter(name -> name.startsWith("HttpClient"))
                                        .count()
                                == connections
                        && (connections > 0 || (names().isEmpty() && proxy.connections() == 0)));
    }

    @Override
    protected void kill() {
        server.kill();
    }

    @Override
    protected void startAgain() {
        server.startAgain();
    }

    @Override
    protected void freeze() {
        proxy.freeze();
    }

    @Override
    protected void pass() {
        proxy.pass();
    }

    @Override
    protected void closeServer() {
        proxy.close();
    }

    private String url() {
        return "http://127.0.0.1:" + proxy.port();
    }

    private static List<String> names() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("snowflake") || name.startsWith("HttpClient"))
                .sorted()
                .toList();
    }

    @Test
    void severalWorkerIdsAreExtendedTogether() {
        try (LeasedSnowflake ids = open("default", Map.of("snowflake.workers", "12", "snowflake.window", "PT12S"))) {
            Instant before = ids.status().reservedUntil().orElseThrow();
            await(PATIENCE, () -> ids.status().reservedUntil().orElseThrow().isAfter(before.plusSeconds(3)));
            assertThat(ids.nextIds(1_000)).hasSize(1_000);
        }
    }

    @Test
    void connectionIsTheSameForThoseWhoReachTheSameAgent() {
        ConsulCoordinatorProvider provider = new ConsulCoordinatorProvider();
        Map<String, String> keys = Map.of("snowflake.consul.url", url());
        Map<String, String> others = Map.of("snowflake.consul.url", server.url());
        try (WorkerCoordinator one = provider.open(config("one", keys), () -> {});
                WorkerCoordinator two = provider.open(config("two", keys), () -> {});
                WorkerCoordinator other = provider.open(config("one", others), () -> {})) {
            assertThat(one.connection()).isNotNull().isEqualTo(two.connection()).isNotEqualTo(other.connection());
        }
    }

    private static CoordinatorConfig config(String namespace, Map<String, String> keys) {
        return new CoordinatorConfig("orders", namespace, Duration.ofSeconds(60), keys::get);
    }

    @Test
    void closingWhileNothingPassesTakesNoLongerThanItMayAndLeavesNothing() throws Exception {
        // Who closes waits no longer for threads to end: one that is held up may still be there then.
        Duration longest = Duration.ofSeconds(2);
        Stopwatch.unlessHeldUp(
                longest,
                (number, stopwatch) -> requireWithin(Duration.ofMillis(2_500), () -> {
                    await(PATIENCE, () -> names().isEmpty());
                    Node node = ConsulNode.at(url(), Node.freshNamespace());
                    node.createMeta();
                    proxy.freeze();
                    assertThat(node.answers()).isFalse();
                    stopwatch.begin();
                    Duration took = time(node::close);
                    node.close();
                    proxy.pass();
                    await(PATIENCE, () -> names().isEmpty());
                    return took;
                }));
    }

    // ---- an application whose class loader gives no class any more as soon as it has closed its generator

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

    private WeakReference<ClassLoader> deployAndUndeploy() throws Exception {
        URLClassLoader application = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(application);
        try {
            Object settings = Class.forName("org.snowflakeid.SnowflakeSettings", true, application)
                    .getMethod("of", Map.class)
                    .invoke(null, Map.of("snowflake.consul.url", url(), "snowflake.namespace", Node.freshNamespace()));
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
    void noApplicationIsKeptAlive() throws Exception {
        WeakReference<ClassLoader> undeployed = deployAndUndeploy();

        await(PATIENCE, () -> {
            System.gc();
            return undeployed.get() == null;
        });
    }
}
