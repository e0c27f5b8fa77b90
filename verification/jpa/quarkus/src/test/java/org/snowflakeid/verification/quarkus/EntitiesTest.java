// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.cdi.SnowflakeName;
import org.snowflakeid.testing.MemoryStore;

@QuarkusTest
@QuarkusTestResource(Database.class)
class EntitiesTest {

    private static final int MANY = 10_000;

    @Inject
    Store store;

    @ParameterizedTest
    @ValueSource(strings = {"snowflake", "snowflake/portable", "snowflake/native", "snowflake/looked-up"})
    void whatEntitiesAndTheConfigurationNameIsClaimedAtTheStart(String namespace) {
        assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).meta(namespace)).isNotNull();
    }

    @Test
    void theGeneratorThatTheConfigurationNamesIsFound() {
        assertThat(CDI.current()
                        .select(Snowflake.class, SnowflakeName.Literal.of("looked-up"))
                        .get()
                        .nextId())
                .isPositive();
    }

    @Test
    void portablePersistAndItsCascadesGiveIds() {
        PortablePurchase purchase = new PortablePurchase();
        purchase.lines.add(new PortableLine());
        purchase.lines.add(new PortableLine());

        Long key = store.transact(entities -> {
            entities.persist(purchase);
            return purchase.id;
        });

        assertThat(key).isPositive();
        assertThat(purchase.number).isPositive();
        assertThat(purchase.lines)
                .extracting(line -> line.id)
                .doesNotHaveDuplicates()
                .doesNotContainNull();
        Long stored = store.transact(entities -> entities.find(PortablePurchase.class, key).number);
        assertThat(stored).isEqualTo(purchase.number);
        assertThat(purchase.code).hasSize(13);
        String code = store.transact(entities -> entities.find(PortablePurchase.class, key).code);
        assertThat(code).isEqualTo(purchase.code);
        UUID uuid = store.transact(entities -> entities.find(PortablePurchase.class, key).uuid);
        assertThat(uuid).isEqualTo(purchase.uuid);
        assertThat(SnowflakeLayout.STANDARD.id(uuid)).isPositive();
    }

    @Test
    void insertsThatWouldLeaveAMarkedColumnNullAreRefused() {
        assertThatThrownBy(() -> store.transact(
                        entities -> entities.createQuery("insert into NativePurchase (number) values (7)")
                                .executeUpdate()))
                .hasStackTraceContaining("NativePurchase.")
                .hasStackTraceContaining(", marked with @SnowflakeId, may get no value from this insert query");
    }

    @Test
    void portableMergeGivesIdsAndKeepsThoseThatArePreset() {
        PortablePurchase preset = new PortablePurchase();
        preset.id = 42L;
        preset.number = 43L;

        PortablePurchase copy = store.transact(entities -> entities.merge(new PortablePurchase()));
        PortablePurchase again = store.transact(entities -> entities.merge(copy));
        store.transact(entities -> entities.merge(preset));

        assertThat(copy.id).isPositive();
        assertThat(again.id).isEqualTo(copy.id);
        assertThat(again.number).isPositive().isEqualTo(copy.number);
        Long stored = store.transact(entities -> entities.find(PortablePurchase.class, 42L).number);
        assertThat(stored).isEqualTo(43);
    }

    @Test
    void portablePersistKeepsIdsThatArePreset() {
        PortablePurchase preset = new PortablePurchase();
        preset.id = 44L;
        preset.number = 45L;

        Long stored = store.transact(entities -> {
            entities.persist(preset);
            entities.flush();
            entities.clear();
            return entities.find(PortablePurchase.class, 44L).number;
        });

        assertThat(stored).isEqualTo(45);
    }

    @Test
    void portableManyAreInserted() {
        Long count = store.transact(entities -> {
            for (int i = 0; i < MANY; i++) {
                entities.persist(new PortableLine());
            }
            return entities.createQuery("select count(l) from PortableLine l", Long.class)
                    .getSingleResult();
        });

        assertThat(count).isGreaterThanOrEqualTo(MANY);
    }

    @Test
    void nativePersistAndItsCascadesGiveIds() {
        NativePurchase purchase = new NativePurchase();
        purchase.lines.add(new NativeLine());
        purchase.lines.add(new NativeLine());

        Long key = store.transact(entities -> {
            entities.persist(purchase);
            return purchase.id;
        });

        assertThat(key).isPositive();
        assertThat(purchase.number).isPositive();
        assertThat(purchase.lines)
                .extracting(line -> line.id)
                .doesNotHaveDuplicates()
                .doesNotContainNull();
        Long stored = store.transact(entities -> entities.find(NativePurchase.class, key).number);
        assertThat(stored).isEqualTo(purchase.number);
        assertThat(purchase.code).hasSize(16);
        String code = store.transact(entities -> entities.find(NativePurchase.class, key).code);
        assertThat(code).isEqualTo(purchase.code);
        UUID uuid = store.transact(entities -> entities.find(NativePurchase.class, key).uuid);
        assertThat(uuid).isEqualTo(purchase.uuid);
        assertThat(SnowflakeLayout.STANDARD.id(uuid)).isPositive();
    }

    @Test
    void nativeMergeGivesIdsAndKeepsThoseThatArePreset() {
        NativePurchase preset = new NativePurchase();
        preset.id = 42L;
        preset.number = 43L;

        NativePurchase copy = store.transact(entities -> entities.merge(new NativePurchase()));
        NativePurchase again = store.transact(entities -> entities.merge(copy));
        store.transact(entities -> entities.merge(preset));

        assertThat(copy.id).isPositive();
        assertThat(again.id).isEqualTo(copy.id);
        assertThat(again.number).isPositive().isEqualTo(copy.number);
        Long stored = store.transact(entities -> entities.find(NativePurchase.class, 42L).number);
        assertThat(stored).isEqualTo(43);
    }

    @Test
    void nativePersistKeepsIdsThatArePreset() {
        NativePurchase preset = new NativePurchase();
        preset.id = 44L;
        preset.number = 45L;

        Long stored = store.transact(entities -> {
            entities.persist(preset);
            entities.flush();
            entities.clear();
            return entities.find(NativePurchase.class, 44L).number;
        });

        assertThat(stored).isEqualTo(45);
    }

    @Test
    void nativeManyAreInserted() {
        Long count = store.transact(entities -> {
            for (int i = 0; i < MANY; i++) {
                entities.persist(new NativeLine());
            }
            return entities.createQuery("select count(l) from NativeLine l", Long.class)
                    .getSingleResult();
        });

        assertThat(count).isGreaterThanOrEqualTo(MANY);
    }
}
