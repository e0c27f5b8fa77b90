// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.persistence.EntityManagerFactory;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeFormat;

/** The listener is named by the mapping file of the jar. */
public abstract class MappingFileContract {

    @Test
    public void theMappingFileHasAllEntitiesFilled() {
        System.setProperty("snowflake.coordinator", "memory");
        try (SeContainer container = SeContainerInitializer.newInstance().initialize();
                EntityManagerFactory factory = EntityContract.open("mapping-file")) {
            Unheard entity = new Unheard();

            EntityContract.transact(factory, entities -> entities.persist(entity));

            assertThat(container.isRunning()).isTrue();
            assertThat(entity.id).isPositive();
            assertThat(entity.part.reference).isPositive();
            assertThat(SnowflakeFormat.CROCKFORD.parse(Objects.requireNonNull(entity.code)))
                    .isPositive();
            assertThat(SnowflakeFormat.DECIMAL.parse(Objects.requireNonNull(entity.part.tag)))
                    .isPositive();
        }
    }
}
