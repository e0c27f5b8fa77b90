// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.quarkus.LentMemoryCoordinatorProvider;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** With {@code snowflake-testing} on the class path, and with a class loader that hides it as in production. */
class LentMemoryCoordinatorProviderTest {

    private static final Map<String, String> SETTINGS = Map.of("snowflake.coordinator", "memory");

    private static final CoordinatorConfig CONFIG =
            new CoordinatorConfig("default", "snowflake", Duration.ofMinutes(1), key -> null);

    private static final ClassLoader PRODUCTION =
            new ClassLoader(LentMemoryCoordinatorProviderTest.class.getClassLoader()) {
                @Override
                protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                    if (name.startsWith("org.snowflakeid.testing.")) {
                        throw new ClassNotFoundException(name);
                    }
                    return super.loadClass(name, resolve);
                }
            };

    private static <T> T inProduction(Supplier<T> work) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(PRODUCTION);
        try {
            return work.get();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void isFoundByItsServiceFile() {
        assertThat(ServiceLoader.load(WorkerCoordinatorProvider.class))
                .hasAtLeastOneElementOfType(LentMemoryCoordinatorProvider.class);
    }

    @Test
    void opensTheCoordinatorInMemoryWhereItIs() {
        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(SETTINGS))) {
            assertThat(ids.status().coordinator()).isEqualTo("memory");
            assertThat(ids.nextId()).isPositive();
        }
    }

    @Test
    void refusesToOpenInProductionAndNamesTheRemedy() {
        WorkerCoordinatorProvider provider = inProduction(LentMemoryCoordinatorProvider::new);

        assertThat(provider.onlyByName()).isTrue();
        assertThatThrownBy(() -> provider.open(CONFIG, () -> {}))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("snowflake 'default': snowflake.coordinator=memory is there in dev mode and in tests only."
                        + " For production add the artifact of another coordinator, such as snowflake-coordinator-etcd,"
                        + " and set snowflake.coordinator to its name, such as etcd.");
    }

    @Test
    void knowsTheSameKeysInProduction() {
        WorkerCoordinatorProvider here = new LentMemoryCoordinatorProvider();
        WorkerCoordinatorProvider inProduction = inProduction(LentMemoryCoordinatorProvider::new);

        assertThat(shown(inProduction)).isNotEmpty().isEqualTo(shown(here));
    }

    private static List<String> shown(WorkerCoordinatorProvider provider) {
        return provider.keys().stream()
                .map(key -> String.join(" | ", key.name(), key.accepted(), key.unset(), key.meaning()))
                .toList();
    }
}
