// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Test;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.hibernate.GeneratorSource;
import org.snowflakeid.testing.TestSnowflake;

/** Ids that a setting of Hibernate gives, without any container. */
class GeneratorSourceTest {

    @Test
    void eachAttributeAsksForItsGeneratorWhileHibernateStarts() {
        List<String> asked = new ArrayList<>();
        TestSnowflake unnamed = TestSnowflake.workerId(1);
        TestSnowflake named = TestSnowflake.workerId(2);
        GeneratorSource source = name -> {
            asked.add(name);
            return name.equals("default") ? unnamed : named;
        };
        HibernatePurchase purchase = new HibernatePurchase();

        try (EntityManagerFactory factory = Persistence.createEntityManagerFactory(
                "hibernate",
                Map.of(
                        GeneratorSource.SETTING,
                        source,
                        "jakarta.persistence.jdbc.url",
                        "jdbc:h2:mem:given",
                        "jakarta.persistence.schema-generation.database.action",
                        "create"))) {
            assertThat(asked).contains("default", "purchases");
            factory.unwrap(SessionFactory.class).inTransaction(session -> session.persist(purchase));
        }

        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(named.layout().decode(purchase.id())).isEqualTo(new IdParts(start, 2, 0));
        assertThat(named.layout().decode(named.layout().id(purchase.uuid()))).isEqualTo(new IdParts(start, 2, 1));
        assertThat(unnamed.layout()
                        .decode(SnowflakeFormat.CROCKFORD.parse(purchase.code()))
                        .workerId())
                .isEqualTo(1);
    }
}
