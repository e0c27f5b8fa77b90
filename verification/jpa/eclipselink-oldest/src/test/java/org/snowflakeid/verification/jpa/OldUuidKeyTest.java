// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.persistence.EntityManagerFactory;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** This EclipseLink converts a key before any listener can fill it, and knows no key that is null of this type. */
class OldUuidKeyTest {

    @AfterEach
    void forgetSettings() {
        System.clearProperty("snowflake.coordinator");
    }

    @ParameterizedTest
    @ValueSource(classes = {EclipseLinkTicket.class, PortableTicket.class})
    void anEntityWhoseKeyIsAUuidIsRefusedAtPersist(Class<?> type) throws Exception {
        Object entity = type.getDeclaredConstructor().newInstance();
        String unit = entity instanceof PortableTicket ? "portable-heir" : "eclipselink-heir";
        try (SeContainer container = EntityContract.start();
                EntityManagerFactory factory = EntityContract.open(unit)) {
            assertThatThrownBy(() -> EntityContract.transact(factory, entities -> entities.persist(entity)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(UUID.class.getName());

            assertThat(container.isRunning()).isTrue();
            EntityContract.transact(factory, entities -> assertThat(entities.createQuery(
                                    "select count(e) from " + type.getSimpleName() + " e", Long.class)
                            .getSingleResult())
                    .isZero());
        }
    }
}
