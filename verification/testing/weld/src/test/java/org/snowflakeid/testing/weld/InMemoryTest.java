// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.weld;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import org.jboss.weld.junit5.auto.AddExtensions;
import org.jboss.weld.junit5.auto.EnableAutoWeld;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.SnowflakeExtension;
import org.snowflakeid.testing.MemoryStore;

@EnableAutoWeld
@AddExtensions(SnowflakeExtension.class)
class InMemoryTest {

    @Inject
    Orders orders;

    @Inject
    Snowflake ids;

    @Test
    void theApplicationLeasesItsWorkerIdFromTheStoreInMemory() {
        int workerId = ids.layout().decode(orders.place()).workerId();

        assertThat(ids.status().coordinator()).isEqualTo("memory");
        assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).owner("snowflake", workerId))
                .isNotNull();
    }

    @Test
    void idsGoOnWhileTheCoordinatorIsAway() {
        MemoryStore store = MemoryStore.named(MemoryStore.DEFAULT_NAME);
        long before = orders.place();

        store.disconnect();
        try {
            assertThat(orders.place()).isGreaterThan(before);
        } finally {
            store.reconnect();
        }
    }
}
