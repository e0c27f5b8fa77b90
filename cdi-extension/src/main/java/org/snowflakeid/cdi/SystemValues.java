// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.EnvironmentVariable;

/** System properties and, below them, environment variables: what MicroProfile Config would read without any file, by the same names. */
final class SystemValues implements NamedValues {

    private static final System.Logger LOG = System.getLogger(SystemValues.class.getName());

    private static final String FILE = "META-INF/microprofile-config.properties";

    private static final AtomicBoolean SAID = new AtomicBoolean();

    /** The first one says in the log that there is nothing else. */
    SystemValues() {
        if (!SAID.getAndSet(true)) {
            boolean hasFile = hasFile();
            LOG.log(
                    hasFile ? Level.WARNING : Level.INFO,
                    "snowflake: MicroProfile Config is not on the class path: settings are read from system properties and"
                            + " environment variables alone."
                            + (hasFile
                                    ? " " + FILE + " is not read. Set its keys there, or add an implementation of"
                                            + " MicroProfile Config, such as io.smallrye.config:smallrye-config."
                                    : ""));
        }
    }

    private static boolean hasFile() {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        return application != null && application.getResource(FILE) != null;
    }

    @Override
    public @Nullable String value(String key) {
        String property = System.getProperty(key);
        return property != null
                ? property
                : Stream.of(key, EnvironmentVariable.withUnderscores(key), EnvironmentVariable.of(key))
                        .map(System::getenv)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
    }

    @Override
    public Iterable<String> names() {
        Set<String> names = new TreeSet<>(System.getProperties().stringPropertyNames());
        names.addAll(System.getenv().keySet());
        return names;
    }
}
