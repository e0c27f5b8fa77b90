// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.snowflakeid.IdParts;
import org.snowflakeid.testing.TestSnowflake;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@SpringBootTest(properties = "snowflake.coordinator=memory")
@Import(FixedIds.class)
class FixedIdsTest {

    @Autowired
    TestSnowflake ids;

    @Autowired
    IdController controller;

    @Autowired
    Purchases purchases;

    @Test
    void beansAndEntitiesGetTheSameIdsInEachRun() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");

        assertThat(ids.layout().decode(Long.parseLong(controller.create()))).isEqualTo(new IdParts(start, 7, 0));
        assertThat(ids.layout().decode(purchases.save(Purchase.of("tea")).id)).isEqualTo(new IdParts(start, 7, 1));
    }
}
