// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.Dependent;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An entity beside a persistence.xml, of which a library that it names is not there. Nothing else looks at it while the application starts. */
class IncompleteEntityTest {

    static class Missing {}

    static class Invoice {
        @SnowflakeId("orders")
        long id;

        Missing missing() {
            return new Missing();
        }
    }

    static class Bill {
        @SnowflakeId("bills")
        long id;

        Missing missing = new Missing();
    }

    @Dependent
    static class Shop {}

    @TempDir
    Path folder;

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void doesNotStopTheDeploymentAndWhatItShowsIsClaimed() throws IOException {
        Files.createDirectories(folder.resolve("META-INF"));
        Files.createFile(folder.resolve("META-INF/persistence.xml"));
        for (Class<?> type : List.of(Bill.class, Invoice.class)) {
            Path file = folder.resolve(classFile(type.getName()));
            Files.createDirectories(file.getParent());
            Files.write(file, bytes(type.getName()));
        }
        Thread.currentThread().setContextClassLoader(new WithoutALibrary());

        try (Application application = Application.of(Shop.class)) {
            assertThat(application.get(Shop.class)).isNotNull();
            if (!Application.BUILD_COMPATIBLE_ALONE) {
                assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake/orders");
            }
        }
    }

    private static String classFile(String name) {
        return name.replace('.', '/') + ".class";
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(
                IncompleteEntityTest.class.getClassLoader().getResourceAsStream(classFile(name)))) {
            return in.readAllBytes();
        }
    }

    private final class WithoutALibrary extends ClassLoader {

        WithoutALibrary() {
            super(before);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return name.equals("META-INF/persistence.xml")
                    ? Collections.enumeration(
                            List.of(folder.resolve(name).toUri().toURL()))
                    : super.getResources(name);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Missing.class.getName())) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals(Invoice.class.getName()) && !name.equals(Bill.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try {
                byte[] bytes = bytes(name);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
