// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.DiscriminatorColumn;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Persistence;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.IdParts;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.hibernate.GeneratorSource;
import org.snowflakeid.hibernate.SnowflakeId;
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

    // it was passed over, and the first persist complained that there is no CDI
    @Test
    void aSettingThatIsNoSourceStopsTheStart() {
        for (Object wrong : List.of("com.acme.Ids", GeneratorSource.class)) {
            Configuration configuration = new Configuration().addAnnotatedClass(Mapped.class);
            configuration.getProperties().put(GeneratorSource.SETTING, wrong);
            configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:wrong");

            assertThatThrownBy(() -> configuration.buildSessionFactory().close())
                    .hasStackTraceContaining(
                            "snowflake 'default': the setting " + GeneratorSource.SETTING + " is " + wrong
                                    + ", which is no object of " + GeneratorSource.class.getName()
                                    + ". Pass one, such as name -> ids, in the map of settings.");
        }
    }

    @Embeddable
    @DiscriminatorColumn(name = "kind")
    static class Parcel {
        int weight = 1;
    }

    @Embeddable
    static class Tracked extends Parcel {
        @SnowflakeId
        @Nullable
        Long tracking;
    }

    @Entity
    static class Shipment {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Embedded
        Parcel parcel = new Tracked();
    }

    @Test
    void aSubclassOfAnEmbeddableHasItsIdOrIsRefused() {
        Configuration configuration = new Configuration()
                .addAnnotatedClass(Shipment.class)
                .addAnnotatedClass(Parcel.class)
                .addAnnotatedClass(Tracked.class);
        configuration.getProperties().put(GeneratorSource.SETTING, (GeneratorSource) name -> TestSnowflake.workerId(1));
        configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:shipments");
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        try (SessionFactory factory = configuration.buildSessionFactory()) {
            Shipment tracked = new Shipment();
            Shipment untracked = new Shipment();
            untracked.parcel = new Parcel();
            factory.inTransaction(session -> session.persist(tracked));
            factory.inTransaction(session -> session.persist(untracked));

            factory.inTransaction(
                    session -> assertThat(((Tracked) session.find(Shipment.class, tracked.id).parcel).tracking)
                            .isPositive());
        } catch (SnowflakeException refused) {
            assertThat(refused).hasMessageContaining("GeneratorSourceTest$Tracked.tracking: ");
        }
    }

    @Entity
    static class Mapped {
        @Id
        @SnowflakeId
        long id;
    }

    @Entity
    static class MappedColumn {
        @Id
        @SnowflakeId
        long id;

        @SnowflakeId
        @Nullable
        Long number;
    }

    // Hibernate 7 stored 0 and null
    @Test
    void aMappingFileThatIsCompleteLeavesNoIdOut() {
        for (Class<?> type : List.of(Mapped.class, MappedColumn.class)) {
            String mapping = "<entity-mappings xmlns='https://jakarta.ee/xml/ns/persistence/orm' version='3.0'>"
                    + "<entity class='" + type.getName()
                    + "' access='FIELD' metadata-complete='true'><attributes><id name='id'/>"
                    + (type == MappedColumn.class ? "<basic name='number'/>" : "")
                    + "</attributes></entity></entity-mappings>";
            Configuration configuration = new Configuration()
                    .addAnnotatedClass(type)
                    .addInputStream(new ByteArrayInputStream(mapping.getBytes(StandardCharsets.UTF_8)));
            configuration.getProperties().put(GeneratorSource.SETTING, (GeneratorSource)
                    name -> TestSnowflake.workerId(1));
            configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:mapped");
            configuration.setProperty("hibernate.hbm2ddl.auto", "create");

            try (SessionFactory factory = configuration.buildSessionFactory()) {
                Object entity = type == Mapped.class ? new Mapped() : new MappedColumn();
                factory.inTransaction(session -> session.persist(entity));

                assertThat(entity).hasNoNullFieldsOrProperties();
                assertThat(entity).extracting("id").isNotEqualTo(0L);
            } catch (SnowflakeException refused) {
                assertThat(refused)
                        .hasMessageContaining(
                                ": Hibernate does not see it, since a mapping file says metadata-complete;");
            }
        }
    }
}
