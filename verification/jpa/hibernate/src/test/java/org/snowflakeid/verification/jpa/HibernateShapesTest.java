// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Map;
import org.hibernate.Session;
import org.junit.jupiter.api.Test;

/** Hibernate's own way. */
class HibernateShapesTest extends ShapesContract {

    HibernateShapesTest() {
        super(HibernateShapes.class, true, Map.of());
    }

    // the columns were null
    @Test
    void insertsThatAreWrittenAsQueriesAreRefusedForEntitiesInSeveralTables() {
        for (Shape shape : List.of(new HibernateShapes.InJoinedTables(), new HibernateShapes.InASecondaryTable())) {
            try (EntityManagerFactory factory = open(shape)) {
                String name = factory.getMetamodel().entity(shape.getClass()).getName();

                assertThatThrownBy(() -> EntityContract.transact(factory, entities -> entities.createQuery(
                                        "insert into " + name + " (number) values (8)")
                                .executeUpdate()))
                        .hasStackTraceContaining(
                                ", marked with @SnowflakeId, may get no value from this insert query, which can't be checked"
                                        + " here. Persist entities instead.");
            }
        }
    }

    @SuppressWarnings("deprecation") // Hibernate 7.4 has another way, which older ones lack.
    @Test
    void aNaturalIdIsFoundAndStaysWhatItIs() {
        HibernateShapes.WithANaturalId entity = new HibernateShapes.WithANaturalId();
        try (EntityManagerFactory factory = open(entity)) {
            EntityContract.transact(factory, entities -> {
                entities.persist(entity);
                entities.flush();
                entity.quantity++;
                entities.flush();

                assertThat(entities.unwrap(Session.class)
                                .bySimpleNaturalId(HibernateShapes.WithANaturalId.class)
                                .load(entity.number))
                        .isSameAs(entity);
            });
            EntityContract.transact(factory, entities -> assertThat(entities.unwrap(Session.class)
                            .bySimpleNaturalId(HibernateShapes.WithANaturalId.class)
                            .load(entity.number)
                            .quantity)
                    .isEqualTo(2));
        }
    }
}
