// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.testservers.EtcdServer;

/** An application packaged as one jar, in which one of gRPC's files in META-INF/services took the place of the others, or none is left. */
class OneJarTest {
    private static EtcdServer server;

    @BeforeAll
    static void startServer() {
        server = EtcdServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** What an application does, in its own class loader: says why it can't be opened, or that it has read. */
    static final class Application implements Callable<String> {
        @Override
        public String call() {
            Map<String, String> keys = Map.of("snowflake.etcd.endpoints", System.getProperty("one.jar.endpoint", ""));
            CoordinatorConfig config = new CoordinatorConfig("orders", "ns", Duration.ofSeconds(10), keys::get);
            try (WorkerCoordinator coordinator = new EtcdCoordinatorProvider().open(config, () -> {})) {
                return coordinator.read(0, 10, Duration.ofSeconds(30)).slots().size() + " worker ids";
            } catch (CoordinatorException e) {
                return (e.permanent() ? "permanent: " : "") + e.getMessage();
            }
        }
    }

    /** @param left which of the service files of gRPC can be seen */
    private static String run(Predicate<String> left) throws Exception {
        System.setProperty("one.jar.endpoint", server.endpoint());
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<URL> urls = new ArrayList<>();
        for (String part : path.split(File.pathSeparator, -1)) {
            urls.add(Path.of(part).toUri().toURL());
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader jar = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader()) {
            @Override
            public Enumeration<URL> findResources(String name) throws IOException {
                List<URL> found = Collections.list(super.findResources(name));
                if (name.startsWith("META-INF/services/io.grpc.")) {
                    found.removeIf(file -> !left.test(file.toString()));
                }
                return Collections.enumeration(found);
            }
        }) {
            Thread.currentThread().setContextClassLoader(jar);
            var constructor =
                    Class.forName(Application.class.getName(), true, jar).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (String) ((Callable<?>) constructor.newInstance()).call();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** For a whole startup-timeout it was taken for a server that ends connections. */
    @ParameterizedTest
    @ValueSource(strings = {"grpc-core", "none of them"})
    void aStartEndsAtOnceAndNamesTheMissingServiceFile(String survivor) throws Exception {
        assertThat(run(file -> file.contains(survivor)))
                .isEqualTo("permanent: etcd (" + server.endpoint()
                        + ") can't be asked: gRPC has no load-balancing policy round_robin, since no file"
                        + " META-INF/services/io.grpc.LoadBalancerProvider names it. In an application that is packaged as one"
                        + " jar, merge the files of META-INF/services: with the ServicesResourceTransformer of Maven Shade,"
                        + " mergeServiceFiles() of Gradle Shadow, or the like.");
    }

    /** Names of hosts are resolved here. */
    @Test
    void noOtherServiceFileOfGrpcIsNeeded() throws Exception {
        assertThat(run(file -> file.contains("grpc-util"))).isEqualTo("11 worker ids");
    }
}
