// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeFormat;

/** What is done with entities on every runtime. It runs inside the application, and fails by an {@link AssertionError}. */
public enum EntityStep {
    KEY_AND_COLUMNS {
        @Override
        public void run(EntityApplication application, Supplier<? extends Purchase> purchases) {
            Snowflake keys = application.generator("purchases");
            Snowflake numbers = application.generator("default");
            long before = keys.nextId();
            long numberBefore = numbers.nextId();
            Purchase purchase = purchases.get();

            application.transact(entities -> {
                entities.persist(purchase);
                assertThat(purchase.id()).isGreaterThan(before).isLessThan(keys.nextId());
            });

            assertThat(id(keys, purchase.uuid())).isGreaterThan(before).isLessThan(keys.nextId());
            assertThat(id(numbers, purchase.referenceUuid()))
                    .isGreaterThan(numberBefore)
                    .isLessThan(numbers.nextId());
            assertThat(purchase.number()).isGreaterThan(numberBefore).isLessThan(numbers.nextId());
            assertThat(purchase.reference()).isGreaterThan(numberBefore).isLessThan(numbers.nextId());
            assertThat(id(SnowflakeFormat.CROCKFORD, purchase.code()))
                    .isGreaterThan(numberBefore)
                    .isLessThan(numbers.nextId());
            assertThat(id(SnowflakeFormat.HEX, purchase.tag()))
                    .isGreaterThan(numberBefore)
                    .isLessThan(numbers.nextId());
            application.transact(entities -> {
                Purchase stored = stored(entities, purchase);
                assertThat(stored.number()).isEqualTo(purchase.number());
                assertThat(stored.reference()).isEqualTo(purchase.reference());
                assertThat(stored.uuid()).isEqualTo(purchase.uuid());
                assertThat(stored.referenceUuid()).isEqualTo(purchase.referenceUuid());
                assertThat(stored.code()).isEqualTo(purchase.code());
                assertThat(stored.tag()).isEqualTo(purchase.tag());
            });
        }
    },

    CASCADE {
        @Override
        public void run(EntityApplication application, Supplier<? extends Purchase> purchases) {
            Purchase purchase = purchases.get();
            purchase.addLine();
            purchase.addLine();

            application.transact(entities -> entities.persist(purchase));

            application.transact(entities -> assertPartsHaveIds(stored(entities, purchase), 2));
        }
    },

    MERGE_OF_NEW {
        @Override
        public void run(EntityApplication application, Supplier<? extends Purchase> purchases) {
            Purchase purchase = purchases.get();
            purchase.addLine();

            Purchase copy = merged(application, purchase);

            assertThat(copy.id()).isPositive();
            application.transact(entities -> {
                Purchase stored = stored(entities, copy);
                assertThat(stored.number()).isPositive();
                assertThat(id(application.generator("purchases"), stored.uuid()))
                        .isPositive();
                assertThat(id(SnowflakeFormat.CROCKFORD, stored.code())).isPositive();
                assertPartsHaveIds(stored, 1);
            });
        }
    },

    MERGE_OF_STORED {
        @Override
        public void run(EntityApplication application, Supplier<? extends Purchase> purchases) {
            Purchase purchase = purchases.get();
            application.transact(entities -> entities.persist(purchase));
            Long number = purchase.number();
            UUID uuid = purchase.uuid();
            String code = purchase.code();
            long before = count(application, purchases);

            Purchase copy = merged(application, purchase);

            assertThat(copy.id()).isEqualTo(purchase.id());
            assertThat(copy.number()).isEqualTo(number);
            assertThat(copy.uuid()).isEqualTo(uuid);
            assertThat(copy.code()).isEqualTo(code);
            assertThat(count(application, purchases)).isEqualTo(before);
        }
    },

    PRESET_IDS {
        @Override
        public void run(EntityApplication application, Supplier<? extends Purchase> purchases) {
            Purchase persisted = purchases.get();
            persisted.preset(42L);
            persisted.presetNumber(43L);
            persisted.presetUuid(new UUID(0, 43));
            persisted.presetCode("forty-three");
            Purchase merged = purchases.get();
            merged.preset(44L);
            merged.presetNumber(45L);
            merged.presetUuid(new UUID(0, 0));
            merged.presetCode("");

            application.transact(entities -> entities.persist(persisted));
            application.transact(entities -> entities.merge(merged));

            application.transact(entities -> {
                assertThat(stored(entities, persisted).id()).isEqualTo(42);
                assertThat(stored(entities, persisted).number()).isEqualTo(43);
                assertThat(stored(entities, persisted).uuid()).isEqualTo(new UUID(0, 43));
                assertThat(stored(entities, persisted).code()).isEqualTo("forty-three");
                assertThat(stored(entities, merged).id()).isEqualTo(44);
                assertThat(stored(entities, merged).number()).isEqualTo(45);
                assertThat(stored(entities, merged).uuid()).isEqualTo(new UUID(0, 0));
                assertThat(stored(entities, merged).code()).isEmpty();
            });
        }
    },

    MANY_INSERTS {
        @Override
        public void run(EntityApplication application, Supplier<? extends Purchase> purchases) {
            long before = count(application, purchases);

            application.transact(entities -> {
                for (int i = 0; i < MANY; i++) {
                    entities.persist(purchases.get());
                }
            });

            assertThat(count(application, purchases)).isEqualTo(before + MANY);
        }
    };

    /** As many as an import writes at once. */
    public static final int MANY = 10_000;

    /** @param purchases new entities of the persistence unit */
    public abstract void run(EntityApplication application, Supplier<? extends Purchase> purchases);

    private static Purchase merged(EntityApplication application, Purchase purchase) {
        List<Purchase> copies = new ArrayList<>();
        application.transact(entities -> copies.add(entities.merge(purchase)));
        return copies.get(0);
    }

    private static Purchase stored(EntityManager entities, Purchase purchase) {
        return entities.find(purchase.getClass(), Objects.requireNonNull(purchase.id()));
    }

    private static void assertPartsHaveIds(Purchase stored, int parts) {
        assertThat(stored.lineIds()).hasSize(parts).doesNotHaveDuplicates().allSatisfy(id -> assertThat(id)
                .isPositive());
        assertThat(stored.lineCodes()).hasSize(parts).doesNotHaveDuplicates().allSatisfy(code -> assertThat(
                        id(SnowflakeFormat.CROCKFORD, code))
                .isPositive());
        assertThat(stored.noteIds()).hasSize(parts).doesNotHaveDuplicates().allSatisfy(id -> assertThat(
                        id(SnowflakeFormat.BASE62, id))
                .isPositive());
    }

    private static long id(SnowflakeFormat format, @Nullable String text) {
        return format.parse(Objects.requireNonNull(text));
    }

    private static long id(Snowflake ids, @Nullable UUID uuid) {
        return ids.layout().id(Objects.requireNonNull(uuid));
    }

    /** How many are stored. */
    public static long count(EntityApplication application, Supplier<? extends Purchase> purchases) {
        List<Long> counts = new ArrayList<>();
        application.transact(entities -> counts.add((Long) entities.createQuery(
                        "select count(p) from " + purchases.get().getClass().getSimpleName() + " p")
                .getSingleResult()));
        return counts.get(0);
    }
}
