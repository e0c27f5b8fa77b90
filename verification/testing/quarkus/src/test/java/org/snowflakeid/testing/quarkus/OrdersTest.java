// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.snowflakeid.IdParts;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.cdi.SnowflakeName;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testing.TestSnowflake;

/** One of its generators is fixed, the other leases a worker id from the store in memory. */
@QuarkusTest
class OrdersTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @Alternative
    @Priority(1)
    @ApplicationScoped
    static class FixedIds {
        @Produces
        @Singleton
        TestSnowflake ids() {
            return TestSnowflake.workerId(7).at(START);
        }
    }

    @Inject
    TestSnowflake ids;

    @Inject
    Orders orders;

    @Test
    void theTestSetsTheClockOfTheApplicationsIds() {
        assertThat(ids.layout().decode(orders.place())).isEqualTo(new IdParts(START, 7, 0));

        ids.advance(Duration.ofSeconds(1));

        assertThat(ids.layout().decode(orders.place())).isEqualTo(new IdParts(START.plusSeconds(1), 7, 0));
    }

    @Test
    void theApplicationLeasesItsWorkerIdFromTheStoreInMemory() {
        int workerId = SnowflakeLayout.STANDARD.decode(orders.invoice()).workerId();

        MemoryStore store = MemoryStore.named(MemoryStore.DEFAULT_NAME);
        assertThat(store.owner("snowflake/invoices", workerId)).isNotNull();
    }

    @Test
    void aGeneratorAtNoInjectionPointIsClaimedWhenItIsLookedUp() {
        MemoryStore store = MemoryStore.named(MemoryStore.DEFAULT_NAME);
        assertThat(store.meta("snowflake")).isNull();

        Snowflake leased = CDI.current()
                .select(Snowflake.class, SnowflakeName.Literal.of("default"))
                .get();

        assertThat(leased.nextId()).isPositive();
        assertThat(store.meta("snowflake")).isNotNull();
    }
}
