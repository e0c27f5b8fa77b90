// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.SnowflakeName;

/** Keys that are UUIDs. The provider is that on the class path. */
public abstract class UuidKeyContract {

    private final String unit;
    private final Supplier<? extends Ticket> tickets;
    private final Supplier<?> cramped;

    protected UuidKeyContract(String unit, Supplier<? extends Ticket> tickets, Supplier<?> cramped) {
        this.unit = unit;
        this.tickets = tickets;
        this.cramped = cramped;
    }

    @AfterEach
    void forgetSettings() {
        System.clearProperty("snowflake.coordinator");
    }

    @Test
    public void aKeyOfAUuidIsMadeOfAnIdAndFoundByIt() {
        try (SeContainer container = EntityContract.start();
                EntityManagerFactory factory = EntityContract.open(unit)) {
            Snowflake ids = container
                    .select(Snowflake.class, SnowflakeName.Literal.of("purchases"))
                    .get();
            long before = ids.nextId();
            List<Ticket> all = new ArrayList<>();

            EntityContract.transact(factory, entities -> {
                for (int i = 0; i < 100; i++) {
                    Ticket ticket = tickets.get();
                    entities.persist(ticket);
                    all.add(ticket);
                }
            });

            List<UUID> keys = all.stream()
                    .map(ticket -> Objects.requireNonNull(ticket.key()))
                    .toList();
            assertThat(keys.stream().map(ids.layout()::id))
                    .isSorted()
                    .doesNotHaveDuplicates()
                    .allSatisfy(id -> assertThat(id).isBetween(before, ids.nextId()));
            EntityContract.transact(factory, entities -> {
                assertThat(entities.find(all.get(7).getClass(), keys.get(7)).key())
                        .isEqualTo(keys.get(7));
                assertThat(entities.createQuery(
                                        "select t.id from "
                                                + all.get(0).getClass().getSimpleName() + " t order by t.id",
                                        UUID.class)
                                .getResultList())
                        .isEqualTo(keys);
            });
        }
    }

    @Test
    public void aColumnThatIsTooShortForAUuidFailsTheInsert() {
        try (SeContainer container = EntityContract.start();
                EntityManagerFactory factory = EntityContract.open(unit)) {
            Object entity = cramped.get();

            assertThatThrownBy(() -> EntityContract.transact(factory, entities -> entities.persist(entity)))
                    .hasStackTraceContaining("VARYING(35)");

            assertThat(container.isRunning()).isTrue();
            EntityContract.transact(factory, entities -> assertThat(entities.createQuery(
                                    "select count(e) from " + entity.getClass().getSimpleName() + " e", Long.class)
                            .getSingleResult())
                    .isZero());
        }
    }
}
