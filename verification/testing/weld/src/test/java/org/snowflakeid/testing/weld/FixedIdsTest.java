// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.weld;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import org.jboss.weld.junit5.auto.AddBeanClasses;
import org.jboss.weld.junit5.auto.AddExtensions;
import org.jboss.weld.junit5.auto.EnableAutoWeld;
import org.junit.jupiter.api.Test;
import org.snowflakeid.IdParts;
import org.snowflakeid.cdi.SnowflakeExtension;
import org.snowflakeid.testing.TestSnowflake;

@EnableAutoWeld
@AddBeanClasses(FixedIdsTest.FixedIds.class)
@AddExtensions(SnowflakeExtension.class)
class FixedIdsTest {

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
}
