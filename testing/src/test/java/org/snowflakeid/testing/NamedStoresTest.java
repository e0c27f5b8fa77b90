// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LayoutMismatchException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/** What applications of one JVM that name the memory coordinator have in common. */
class NamedStoresTest {

    private final String name = "test-" + UUID.randomUUID();

    private static LeasedSnowflake open(String... keys) {
        Map<String, String> values = new HashMap<>(Map.of("snowflake.coordinator", "memory"));
        for (int i = 0; i < keys.length; i += 2) {
            values.put("snowflake." + keys[i], keys[i + 1]);
        }
        return LeasedSnowflake.open(SnowflakeSettings.of(values));
    }

    private static int workerId(LeasedSnowflake ids) {
        return ids.status().workerId().orElseThrow();
    }

    @Test
    void oneStoreGivesTwoApplicationsDifferentWorkerIds() {
        try (LeasedSnowflake one = open("memory.store", name, "worker-ids", "0-1");
                LeasedSnowflake other = open("memory.store", name, "worker-ids", "0-1")) {
            assertThat(workerId(one)).isNotEqualTo(workerId(other));
        }
    }

    @Test
    void namespacesOfOneStoreAreApart() {
        try (LeasedSnowflake one = open("memory.store", name, "worker-ids", "7");
                LeasedSnowflake other = open("memory.store", name, "worker-ids", "7", "namespace", "orders")) {
            assertThat(workerId(one)).isEqualTo(workerId(other)).isEqualTo(7);
        }
    }

    @Test
    void storesOfDifferentNamesShareNothing() {
        try (LeasedSnowflake one = open("memory.store", name, "worker-ids", "7");
                LeasedSnowflake other = open("memory.store", name + "-other", "worker-ids", "7")) {
            assertThat(workerId(one)).isEqualTo(workerId(other)).isEqualTo(7);
        }
    }

    @Test
    void anApplicationThatNamesNoStoreHasTheDefaultOne() {
        String namespace = "in-the-default-store-" + name;
        try (LeasedSnowflake ids = open("namespace", namespace)) {
            assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).owner(namespace, workerId(ids)))
                    .startsWith("token=");
        }
    }

    @Test
    void aGeneratorOpenedAfterADiscardBeginsAnewAndAnEarlierOneGoesOn() {
        try (LeasedSnowflake before = open("memory.store", name, "worker-ids", "7")) {
            assertThatThrownBy(() -> open("memory.store", name, "sequence-bits", "10"))
                    .isInstanceOf(LayoutMismatchException.class);

            MemoryStore.discard(name);

            try (LeasedSnowflake after = open("memory.store", name, "worker-ids", "7", "sequence-bits", "10")) {
                assertThat(workerId(after)).isEqualTo(7);
                assertThat(before.nextId()).isPositive();
            }
        }
    }
}
