// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeLayout;

/** Hibernate's own way. */
class NativeTest extends EntityContract {

    private static final String UUID_VALUE = "cast('0197f3c2-8d6b-7000-8000-000000000001' as uuid)";

    NativeTest() {
        super("hibernate", HibernatePurchase::new, HibernateMistyped::new, HibernateHeir::new);
    }

    @Override
    protected void assertInBatches(EntityManagerFactory factory, int inserts) {
        assertThat(factory.unwrap(SessionFactory.class).getStatistics().getPrepareStatementCount())
                .isLessThan(inserts / 100);
    }

    @Test
    void statelessSessionsGiveIdsToo() {
        System.setProperty("snowflake.coordinator", "memory");
        try (SeContainer container = SeContainerInitializer.newInstance().initialize();
                EntityManagerFactory factory = open("hibernate")) {
            HibernatePurchase purchase = new HibernatePurchase();
            try (var session = factory.unwrap(SessionFactory.class).openStatelessSession()) {
                var transaction = session.beginTransaction();
                session.insert(purchase);
                transaction.commit();
            }

            assertThat(container.isRunning()).isTrue();
            assertThat(purchase.id()).isPositive();
            assertThat(purchase.number()).isPositive();
        }
    }

    @Test
    void insertsThatAreWrittenAsQueriesGiveTheirRowsKeys() {
        System.setProperty("snowflake.coordinator", "memory");
        try (SeContainer container = SeContainerInitializer.newInstance().initialize();
                EntityManagerFactory factory = open("hibernate")) {
            transact(factory, entities -> {
                String insert = "insert into HibernateLine (code) values ('one'), ('two')";
                assertThat(entities.createQuery(insert).executeUpdate()).isEqualTo(2);
            });

            assertThat(container.isRunning()).isTrue();
            transact(factory, entities -> assertThat(entities.createQuery("select id from HibernateLine", Long.class)
                            .getResultList())
                    .hasSize(2)
                    .doesNotHaveDuplicates()
                    .allSatisfy(id -> assertThat(id).isPositive()));
        }
    }

    // the second column was null
    @Test
    void insertsThatAreWrittenAsQueriesNameAllColumnsThatAreMarked() {
        System.setProperty("snowflake.coordinator", "memory");
        try (SeContainer container = SeContainerInitializer.newInstance().initialize();
                EntityManagerFactory factory = open("hibernate")) {
            assertThat(container.isRunning()).isTrue();
            for (String insert : List.of(
                    "insert into HibernatePurchase (code, number, uuid) values ('one', 2, " + UUID_VALUE + ")",
                    "insert into HibernatePurchase (number, label.reference, label.tag, uuid) values (1, 2, 'x', "
                            + UUID_VALUE + ")",
                    "insert into HibernateLine (id) select p.id from HibernatePurchase p")) {
                assertThatThrownBy(() -> transact(factory, entities -> entities.createQuery(insert)
                                .executeUpdate()))
                        .hasStackTraceContaining("snowflake 'default': org.snowflakeid.verification.jpa.Hibernate")
                        .hasStackTraceContaining(
                                ", marked with @SnowflakeId, gets no value from this insert query, and"
                                        + " Hibernate makes ids for keys only there. Name it in the query, or persist entities.");
            }

            transact(factory, entities -> {
                String insert =
                        "insert into HibernatePurchase (code, number, label.reference, label.tag, label.referenceUuid, uuid)"
                                + " values ('one', 2, 3, 'x', " + UUID_VALUE + ", " + UUID_VALUE + ")";
                assertThat(entities.createQuery(insert).executeUpdate()).isEqualTo(1);
            });
        }
    }

    // the second column was null
    @Test
    void upsertsNeedAllColumnsThatAreMarked() {
        System.setProperty("snowflake.coordinator", "memory");
        try (SeContainer container = SeContainerInitializer.newInstance().initialize();
                EntityManagerFactory factory = open("hibernate");
                var session = factory.unwrap(SessionFactory.class).openStatelessSession()) {
            assertThat(container.isRunning()).isTrue();
            HibernateLine line = new HibernateLine();
            line.setId(7);

            var transaction = session.beginTransaction();
            assertThatThrownBy(() -> session.upsert(line))
                    .hasMessage(
                            "snowflake 'default': " + HibernateLine.class.getName() + ".code, marked with @SnowflakeId,"
                                    + " has no value, and upsert makes no id for it. Set it before, or use insert.");
            line.setCode("seven");
            session.upsert(line);
            transaction.commit();

            assertThat(session.get(HibernateLine.class, 7L).getCode()).isEqualTo("seven");
        }
    }

    @Test
    void queriesAndStatelessSessionsGiveUuidsToo() {
        System.setProperty("snowflake.coordinator", "memory");
        try (SeContainer container = SeContainerInitializer.newInstance().initialize();
                EntityManagerFactory factory = open("hibernate-heir")) {
            HibernateTicket ticket = new HibernateTicket();
            transact(factory, entities -> {
                String insert = "insert into HibernateTicket (seat, code) values ('one', " + UUID_VALUE + "), ('two', "
                        + UUID_VALUE + ")";
                assertThat(entities.createQuery(insert).executeUpdate()).isEqualTo(2);
            });
            factory.unwrap(SessionFactory.class).inStatelessTransaction(session -> session.insert(ticket));

            assertThat(container.isRunning()).isTrue();
            assertThat(SnowflakeLayout.STANDARD.id(Objects.requireNonNull(ticket.code)))
                    .isPositive();
            transact(factory, entities -> assertThat(entities.createQuery("select id from HibernateTicket", UUID.class)
                            .getResultList())
                    .hasSize(3)
                    .doesNotHaveDuplicates()
                    .contains(ticket.key())
                    .allSatisfy(
                            id -> assertThat(SnowflakeLayout.STANDARD.id(id)).isPositive()));
        }
    }

    @Test
    void aKeyOfZeroIsKeptInALong() {
        System.setProperty("snowflake.coordinator", "memory");
        try (SeContainer container = SeContainerInitializer.newInstance().initialize();
                EntityManagerFactory factory = open("hibernate")) {
            HibernatePurchase purchase = new HibernatePurchase();
            purchase.preset(0L);

            transact(factory, entities -> entities.persist(purchase));

            assertThat(container.isRunning()).isTrue();
            assertThat(purchase.id()).isZero();
        }
    }
}
