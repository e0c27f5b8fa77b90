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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.cdi.SnowflakeName;
import org.snowflakeid.testing.MemoryStore;

/** The provider is that on the class path. */
public abstract class EntityContract {

    /** As many as an import writes at once. */
    private static final int MANY = 10_000;

    private final String unit;
    private final Supplier<? extends Purchase> purchases;
    private final Supplier<?> mistyped;

    protected EntityContract(String unit, Supplier<? extends Purchase> purchases, Supplier<?> mistyped) {
        this.unit = unit;
        this.purchases = purchases;
        this.mistyped = mistyped;
    }

    @AfterEach
    void forgetSettings() {
        System.getProperties().keySet().removeIf(key -> key.toString().startsWith("snowflake."));
    }

    private static SeContainer start(String... settings) {
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
        properties.put("hibernate.jdbc.batch_size", 500);
        properties.put("hibernate.generate_statistics", true);
        properties.put("eclipselink.jdbc.batch-writing", "JDBC");
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

    private long count(EntityManagerFactory factory) {
        List<Long> counts = new ArrayList<>();
        transact(
                factory,
                entities -> counts.add((Long) entities.createQuery("select count(p) from "
                                + purchases.get().getClass().getSimpleName() + " p")
                        .getSingleResult()));
        return counts.get(0);
    }

    private Purchase stored(EntityManager entities, @Nullable Long id) {
        return entities.find(purchases.get().getClass(), Objects.requireNonNull(id));
    }

    @Test
    public void theKeyIsThereAfterPersistAndAllIdsAreStored() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            Snowflake keys = container
                    .select(Snowflake.class, SnowflakeName.Literal.of("purchases"))
                    .get();
            Snowflake numbers = container.select(Snowflake.class).get();
            long before = keys.nextId();
            long numberBefore = numbers.nextId();
            Purchase purchase = purchases.get();

            transact(factory, entities -> {
                entities.persist(purchase);
                assertThat(purchase.id()).isGreaterThan(before).isLessThan(keys.nextId());
            });

            assertThat(purchase.number()).isGreaterThan(numberBefore).isLessThan(numbers.nextId());
            assertThat(purchase.reference()).isGreaterThan(numberBefore).isLessThan(numbers.nextId());
            assertThat(id(SnowflakeFormat.CROCKFORD, purchase.code()))
                    .isGreaterThan(numberBefore)
                    .isLessThan(numbers.nextId());
            assertThat(id(SnowflakeFormat.HEX, purchase.tag()))
                    .isGreaterThan(numberBefore)
                    .isLessThan(numbers.nextId());
            transact(factory, entities -> {
                Purchase stored = stored(entities, purchase.id());
                assertThat(stored.number()).isEqualTo(purchase.number());
                assertThat(stored.code()).isEqualTo(purchase.code());
                assertThat(stored.tag()).isEqualTo(purchase.tag());
            });
        }
    }

    private static long id(SnowflakeFormat format, @Nullable String text) {
        return format.parse(Objects.requireNonNull(text));
    }

    @Test
    public void cascadesGiveIdsToo() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            Purchase purchase = purchases.get();
            purchase.addLine();
            purchase.addLine();

            transact(factory, entities -> entities.persist(purchase));

            assertThat(container.isRunning()).isTrue();
            transact(factory, entities -> {
                Purchase stored = stored(entities, purchase.id());
                assertThat(stored.lineIds()).hasSize(2).doesNotHaveDuplicates().allSatisfy(id -> assertThat(id)
                        .isPositive());
                assertThat(stored.lineCodes())
                        .hasSize(2)
                        .doesNotHaveDuplicates()
                        .allSatisfy(code ->
                                assertThat(id(SnowflakeFormat.CROCKFORD, code)).isPositive());
                assertThat(stored.noteIds()).hasSize(2).doesNotHaveDuplicates().allSatisfy(id -> assertThat(
                                id(SnowflakeFormat.BASE62, id))
                        .isPositive());
            });
        }
    }

    @Test
    public void mergingSomethingNewGivesIdsToTheCopy() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            Purchase purchase = purchases.get();
            purchase.addLine();
            List<Purchase> copies = new ArrayList<>();

            transact(factory, entities -> copies.add(entities.merge(purchase)));

            assertThat(container.isRunning()).isTrue();
            Purchase copy = copies.get(0);
            assertThat(copy.id()).isPositive();
            transact(factory, entities -> {
                Purchase stored = stored(entities, copy.id());
                assertThat(stored.number()).isPositive();
                assertThat(stored.lineIds()).singleElement().satisfies(id -> assertThat(id)
                        .isPositive());
                assertThat(id(SnowflakeFormat.CROCKFORD, stored.code())).isPositive();
                assertThat(stored.noteIds()).singleElement().satisfies(id -> assertThat(id(SnowflakeFormat.BASE62, id))
                        .isPositive());
            });
        }
    }

    @Test
    public void mergingWhatIsStoredChangesNoId() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            Purchase purchase = purchases.get();
            transact(factory, entities -> entities.persist(purchase));
            Long number = purchase.number();
            String code = purchase.code();
            List<Purchase> copies = new ArrayList<>();

            transact(factory, entities -> copies.add(entities.merge(purchase)));

            assertThat(container.isRunning()).isTrue();
            assertThat(copies.get(0).id()).isEqualTo(purchase.id());
            assertThat(copies.get(0).number()).isEqualTo(number);
            assertThat(copies.get(0).code()).isEqualTo(code);
            assertThat(count(factory)).isEqualTo(1);
        }
    }

    @Test
    public void presetIdsAreKept() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            Purchase persisted = purchases.get();
            persisted.preset(42L);
            persisted.presetNumber(43L);
            persisted.presetCode("forty-three");
            Purchase merged = purchases.get();
            merged.preset(44L);
            merged.presetNumber(45L);
            merged.presetCode("");

            transact(factory, entities -> entities.persist(persisted));
            transact(factory, entities -> entities.merge(merged));

            assertThat(container.isRunning()).isTrue();
            transact(factory, entities -> {
                assertThat(stored(entities, 42L).number()).isEqualTo(43);
                assertThat(stored(entities, 42L).code()).isEqualTo("forty-three");
                assertThat(stored(entities, 44L).number()).isEqualTo(45);
                assertThat(stored(entities, 44L).code()).isEmpty();
            });
        }
    }

    @Test
    public void manyAreInsertedInBatches() {
        try (SeContainer container = start();
                EntityManagerFactory factory = open(unit)) {
            transact(factory, entities -> {
                for (int i = 0; i < MANY; i++) {
                    entities.persist(purchases.get());
                }
            });

            assertThat(container.isRunning()).isTrue();
            assertThat(count(factory)).isEqualTo(MANY);
            assertInBatches(factory, MANY);
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
                            .contains("snowflake 'purchases': @SnowflakeId stands on ", "Mistyped.id", "a String."));
        }
    }
}
