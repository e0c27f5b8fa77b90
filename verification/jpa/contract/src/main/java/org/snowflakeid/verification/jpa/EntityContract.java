// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.EntityTransaction;
import jakarta.persistence.Persistence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.cdi.SnowflakeName;
import org.snowflakeid.testing.MemoryStore;

/** The provider is that on the class path. */
public abstract class EntityContract {

    private final String unit;
    private final Supplier<? extends Purchase> purchases;
    private final Supplier<?> mistyped;
    private final Supplier<? extends Heir> heirs;

    protected EntityContract(
            String unit, Supplier<? extends Purchase> purchases, Supplier<?> mistyped, Supplier<? extends Heir> heirs) {
        this.unit = unit;
        this.purchases = purchases;
        this.mistyped = mistyped;
        this.heirs = heirs;
    }

    @AfterEach
    void forgetSettings() {
        System.getProperties().keySet().removeIf(key -> key.toString().startsWith("snowflake."));
    }

    protected static SeContainer start(String... settings) {
        System.setProperty("snowflake.coordinator", "memory");
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            System.setProperty(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return SeContainerInitializer.newInstance().initialize();
    }

    /** On a database of its own, whose tables are made anew. */
    protected static EntityManagerFactory open(String unit) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("jakarta.persistence.jdbc.url", "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        properties.put("jakarta.persistence.schema-generation.database.action", "create");
        properties.put("hibernate.generate_statistics", true);
        return Persistence.createEntityManagerFactory(unit, properties);
    }

    /** In a transaction, which is rolled back if this fails. */
    protected static void transact(EntityManagerFactory factory, Consumer<EntityManager> work) {
        EntityManager entities = factory.createEntityManager();
        EntityTransaction transaction = entities.getTransaction();
        try {
            transaction.begin();
            work.accept(entities);
            transaction.commit();
        } finally {
            if (transaction.isActive()) {
                transaction.rollback();
            }
            entities.close();
        }
    }

    private static EntityApplication application(EntityManagerFactory factory) {
        return work -> transact(factory, work);
    }

    private long count(EntityManagerFactory factory) {
        return EntityStep.count(application(factory), purchases);
    }

    @ParameterizedTest
    @EnumSource
    public void entitiesHaveTheirIdsAfter(EntityStep step) {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            step.run(application(factory), purchases);

            assertThat(container.isRunning()).isTrue();
            if (step == EntityStep.MANY_INSERTS) {
                assertInBatches(factory, EntityStep.MANY);
            }
        }
    }

    /** If the provider can tell. */
    protected void assertInBatches(EntityManagerFactory factory, int inserts) {}

    @Test
    public void aGeneratorThatIsSuspendedAmidATransactionLeavesNothingBehind() {
        MemoryStore store = MemoryStore.named("suspended");
        try (SeContainer container = start("snowflake.memory.store=suspended", "snowflake.window=PT9S");
                EntityManagerFactory factory = open(unit)) {
            Snowflake ids = container
                    .select(Snowflake.class, SnowflakeName.Literal.of("purchases"))
                    .get();

            assertThatThrownBy(() -> transact(factory, entities -> {
                        entities.persist(purchases.get());
                        entities.flush();
                        store.disconnect();
                        await(ids, State.SUSPENDED);
                        entities.persist(purchases.get());
                    }))
                    .satisfies(failure -> assertThat(causes(failure))
                            .hasAtLeastOneElementOfType(SnowflakeUnavailableException.class));

            assertThat(count(factory)).isZero();
            store.reconnect();
            await(ids, State.ACTIVE);
            await(container.select(Snowflake.class).get(), State.ACTIVE);
            transact(factory, entities -> entities.persist(purchases.get()));
            assertThat(count(factory)).isEqualTo(1);
        } finally {
            store.reconnect();
        }
    }

    private static void await(Snowflake ids, State state) {
        while (ids.status().state() != state) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static List<Throwable> causes(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }

    @Test
    public void aWrongSettingOfAnEntitysGeneratorStopsTheStart() {
        assertThatThrownBy(() -> start("snowflake.generators.purchases.window=60"))
                .hasStackTraceContaining("snowflake 'purchases': snowflake.generators.purchases.window=60 ");
    }

    @Test
    public void aFieldOfAnotherTypeIsRefused() {
        try (SeContainer container = start()) {
            assertThat(container.isRunning()).isTrue();
            assertThatThrownBy(() -> {
                        try (EntityManagerFactory factory = open(unit + "-mistyped")) {
                            transact(factory, entities -> entities.persist(mistyped.get()));
                        }
                    })
                    .satisfies(failure -> assertThat(causes(failure))
                            .filteredOn(SnowflakeException.class::isInstance)
                            .first()
                            .asString()
                            .contains("snowflake 'purchases': @SnowflakeId on "
                                    + mistyped.get().getClass().getName()
                                    + ".id: type Integer is not supported; use Long, long, String or UUID."));
        }
    }

    // with Hibernate an id took the place of what was set between persist and flush
    @Test
    public void aValueThatIsSetAfterPersistIsKept() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            Purchase purchase = purchases.get();

            transact(factory, entities -> {
                entities.persist(purchase);
                purchase.presetNumber(77L);
            });

            assertThat(container.isRunning()).isTrue();
            assertThat(purchase.number()).isEqualTo(77);
            assertThat(stored(factory, purchase).number()).isEqualTo(77);
        }
    }

    private static Purchase stored(EntityManagerFactory factory, Purchase purchase) {
        try (EntityManager entities = factory.createEntityManager()) {
            return entities.find(purchase.getClass(), Objects.requireNonNull(purchase.id()));
        }
    }

    @Test
    public void zeroInALongIsAValue() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            Purchase purchase = purchases.get();
            purchase.presetNumber(0L);

            transact(factory, entities -> entities.persist(purchase));

            assertThat(container.isRunning()).isTrue();
            assertThat(stored(factory, purchase).number()).isZero();
        }
    }

    @Test
    public void aKeyHasItsTypeFromAGenericSuperclass() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit + "-heir")) {
            Heir heir = heirs.get();

            transact(factory, entities -> entities.persist(heir));

            assertThat(container.isRunning()).isTrue();
            assertThat(heir.key()).isPositive();
        }
    }
}
