// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.enterprise.inject.spi.Extension;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Properties;

/** An application of some beans and some configuration, in the container on the class path. */
final class Application implements AutoCloseable {

    /** Whether the container has to do without the portable extension, as that of Quarkus. */
    static final boolean BUILD_COMPATIBLE_ALONE = Boolean.getBoolean("build.compatible.alone");

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private final Properties propertiesBefore =
            (Properties) System.getProperties().clone();
    private final Kept.Scope kept = new Kept.Scope();
    private final SeContainer container;

    private Application(List<String> configuration, List<Extension> extensions, Class<?>... beans) {
        try {
            for (String entry : configuration) {
                System.setProperty(
                        entry.substring(0, entry.indexOf('=')).strip(),
                        entry.substring(entry.indexOf('=') + 1).strip());
            }
            // One of its own, since OpenWebBeans refuses the class loader of an application that failed to start.
            ClassLoader loader =
                    BUILD_COMPATIBLE_ALONE ? new BuildCompatibleAloneLoader(before) : new ClassLoader(before) {};
            Thread.currentThread().setContextClassLoader(loader);
            container = SeContainerInitializer.newInstance()
                    .setClassLoader(loader)
                    // In Weld the standard way of saying this would leave extensions out as well.
                    .addProperty("openwebbeans.disableDiscovery", true)
                    .addExtensions(kept)
                    .addExtensions(extensions.toArray(Extension[]::new))
                    .addBeanClasses(beans)
                    .initialize();
        } catch (RuntimeException | Error e) {
            restore();
            throw e;
        }
    }

    static Application of(Class<?>... beans) {
        return new Application(List.of(), List.of(), beans);
    }

    static Configured with(String... configuration) {
        return new Configured(List.of(configuration), List.of());
    }

    record Configured(List<String> configuration, List<Extension> extensions) {
        Configured extendedBy(Extension extension) {
            return new Configured(configuration, List.of(extension));
        }

        Application of(Class<?>... beans) {
            return new Application(configuration, extensions, beans);
        }
    }

    SeContainer container() {
        return container;
    }

    /** Writes all beans of {@link Kept} out; they are read when they are used again. */
    void passivate() throws IOException {
        kept.beans.passivate();
    }

    <T> T get(Class<T> type) {
        return container.select(type).get();
    }

    @Override
    public void close() {
        try {
            container.close();
        } finally {
            restore();
        }
    }

    private void restore() {
        Thread.currentThread().setContextClassLoader(before);
        System.setProperties(propertiesBefore);
    }

    /** Hides the portable extension, as if the container knew none. */
    private static final class BuildCompatibleAloneLoader extends ClassLoader {

        private static final String SERVICES = "META-INF/services/";

        BuildCompatibleAloneLoader(ClassLoader parent) {
            super(parent);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            if (name.equals(SERVICES + "jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension")) {
                return super.getResources("build-compatible-alone");
            }
            List<URL> kept = new ArrayList<>();
            for (URL url : Collections.list(super.getResources(name))) {
                if (!name.startsWith(SERVICES) || !names(url, SnowflakeExtension.class)) {
                    kept.add(url);
                }
            }
            return Collections.enumeration(kept);
        }

        private static boolean names(URL services, Class<?> service) throws IOException {
            try (InputStream in = services.openStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8).contains(service.getName());
            }
        }
    }
}
