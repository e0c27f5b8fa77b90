// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** An application packaged as one jar, in which one file of META-INF/services took the place of all others, or none is left. */
class OneJarTest {
    private static final String SERVICE_FILE = "META-INF/services/" + WorkerCoordinatorProvider.class.getName();
    private static final String ETCD = "org/snowflakeid/etcd/EtcdCoordinatorProvider.class";
    private static final String MEMORY = "org/snowflakeid/testing/MemoryCoordinatorProvider.class";

    private static final String REMEDY = " In an application that is packaged as one jar, merge the files of"
            + " META-INF/services: with the ServicesResourceTransformer of Maven Shade, mergeServiceFiles() of Gradle Shadow, or"
            + " the like.";

    @TempDir
    Path directory;

    /** Stands for the coordinator whose file survived. */
    public static final class Survivor implements WorkerCoordinatorProvider {
        @Override
        public String name() {
            return "survivor";
        }

        @Override
        public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
            throw new AssertionError("another coordinator than the application's is used");
        }
    }

    /** The classes are there; of the service files, the one that is given. */
    private ClassLoader jar(List<String> classes, Class<?>... named) throws IOException {
        Path services = directory.resolve("services");
        Files.write(services, Stream.of(named).map(Class::getName).toList());
        URL present = services.toUri().toURL();
        return new ClassLoader(OneJarTest.class.getClassLoader()) {
            @Override
            public @Nullable URL getResource(String name) {
                return classes.contains(name) ? present : super.getResource(name);
            }

            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                return name.equals(SERVICE_FILE)
                        ? Collections.enumeration(named.length == 0 ? List.of() : List.of(present))
                        : super.getResources(name);
            }
        };
    }

    @Test
    void aCoordinatorWhoseServiceFileIsMissingIsNamedWithTheRemedy() throws IOException {
        ClassLoader jar = jar(List.of(ETCD));

        assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(Map.of()), jar))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("snowflake 'default': etcd is on the class path, but no file " + SERVICE_FILE + " names it."
                        + REMEDY);
    }

    @Test
    void theCoordinatorThatIsSetIsNamedThoughAnotherOneSurvived() throws IOException {
        ClassLoader jar = jar(List.of(ETCD), Survivor.class);

        assertThatThrownBy(
                        () -> LeasedSnowflake.open(SnowflakeSettings.of(Map.of("snowflake.coordinator", "etcd")), jar))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("snowflake 'default': etcd is on the class path, but no file " + SERVICE_FILE + " names it."
                        + REMEDY);
    }

    /** It would be taken for the only one, though it may not be the one that the other instances use. */
    @Test
    void theOneThatSurvivedIsNotTakenForTheOnlyOne() throws IOException {
        ClassLoader jar = jar(List.of(ETCD), Survivor.class);

        assertThatThrownBy(() -> LeasedSnowflake.open(SnowflakeSettings.of(Map.of()), jar))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("etcd is on the class path, but no file " + SERVICE_FILE + " names it.");
    }

    @Test
    void theOneThatSurvivedIsUsedIfItIsSet() throws IOException {
        ClassLoader jar = jar(List.of(ETCD), Survivor.class);
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of("snowflake.coordinator", "survivor"));

        assertThat(Coordinators.select(settings.values(), jar)).isInstanceOf(Survivor.class);
    }

    /** Only a setting selects it, so that its class counts for nothing beside another one. */
    @Test
    void theTestsCoordinatorIsMissedOnlyWhereItIsSet() throws IOException {
        ClassLoader jar = jar(List.of(MEMORY), Survivor.class);

        assertThat(Coordinators.select(SnowflakeSettings.of(Map.of()).values(), jar))
                .isInstanceOf(Survivor.class);
        assertThatThrownBy(() -> Coordinators.select(
                        SnowflakeSettings.of(Map.of("snowflake.coordinator", "memory"))
                                .values(),
                        jar))
                .hasMessageContaining("memory is on the class path, but no file " + SERVICE_FILE + " names it.");
    }

    @Test
    void everyCoordinatorOfThisProjectIsKnownByItsClass() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            modules.map(module -> module.resolve("src/main/resources").resolve(SERVICE_FILE))
                    .filter(Files::isRegularFile)
                    .forEach(files::add);
        }

        assertThat(files).hasSizeGreaterThan(8);
        for (Path file : files) {
            String provider = Files.readString(file).strip();
            String name = provider.split("\\.", -1)[2].replace("testing", "memory");
            ClassLoader jar = jar(List.of(provider.replace('.', '/') + ".class"));

            assertThatThrownBy(() -> Coordinators.select(
                            SnowflakeSettings.of(Map.of("snowflake.coordinator", name))
                                    .values(),
                            jar))
                    .hasMessageContaining("'default': " + name + " is on the class path, but no file");
        }
    }
}
