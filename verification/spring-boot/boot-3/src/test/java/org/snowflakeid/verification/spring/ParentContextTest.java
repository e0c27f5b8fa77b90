// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.spring.SnowflakeAutoConfiguration;
import org.snowflakeid.testing.MemoryStore;
import org.snowflakeid.testing.TestSnowflake;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A context and its parent, each with the starter, have one generator of each name. */
class ParentContextTest {

    private final ApplicationContextRunner memory = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SnowflakeAutoConfiguration.class))
            .withPropertyValues("snowflake.coordinator=memory");

    private final MemoryStore store = MemoryStore.named(MemoryStore.DEFAULT_NAME);

    @AfterEach
    void forgetWorkerIds() {
        MemoryStore.discard(MemoryStore.DEFAULT_NAME);
    }

    private long held(String namespace) {
        return IntStream.range(0, 1024)
                .filter(id -> store.owner(namespace, id) != null)
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoGenerators {
        final Snowflake ids;
        final Snowflake orders;

        TwoGenerators(Snowflake ids, @Qualifier("orders") Snowflake orders) {
            this.ids = ids;
            this.orders = orders;
        }
    }

    // orders was opened twice, with two worker ids of one namespace
    @Test
    void shareTheGeneratorsThatBothClaimAtTheStart() {
        ApplicationContextRunner both = memory.withPropertyValues("snowflake.claim-at-start=default,orders");

        both.run(parent -> {
            both.withParent(parent).withUserConfiguration(TwoGenerators.class).run(child -> {
                assertThat(child).hasNotFailed();
                TwoGenerators two = child.getBean(TwoGenerators.class);
                assertThat(two.ids).isSameAs(parent.getBean("snowflake.default"));
                assertThat(two.orders).isSameAs(parent.getBean("snowflake.orders"));
                assertThat(held("snowflake")).isOne();
                assertThat(held("snowflake/orders")).isOne();
            });
            assertThat(parent.getBean("snowflake.orders", Snowflake.class).nextId())
                    .isPositive();
        });
        assertThat(held("snowflake/orders")).isZero();
    }

    @Test
    void theChildsStartClaimsGeneratorsOfTheParentThatItNames() {
        memory.withPropertyValues("snowflake.generators.orders.worker-ids=3").run(parent -> {
            assertThat(store.calls()).isZero();

            memory.withPropertyValues("snowflake.claim-at-start=default,orders")
                    .withParent(parent)
                    .run(child -> {
                        assertThat(child).hasNotFailed();
                        assertThat(held("snowflake")).isOne();
                        assertThat(store.owner("snowflake/orders", 3)).isNotNull();
                    });
        });
    }

    @Test
    void aGeneratorOfTheChildAloneIsTheChilds() {
        memory.withPropertyValues("snowflake.claim-at-start=default").run(parent -> memory.withPropertyValues(
                        "snowflake.claim-at-start=default,orders")
                .withParent(parent)
                .withUserConfiguration(TwoGenerators.class)
                .run(child -> {
                    TwoGenerators two = child.getBean(TwoGenerators.class);

                    assertThat(two.ids).isSameAs(parent.getBean(Snowflake.class));
                    assertThat(two.orders.status().generator()).isEqualTo("orders");
                    assertThat(child.getBeansOfType(LeasedSnowflake.class)).hasSize(1);
                }));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOrders {
        @Bean
        @Qualifier("orders")
        static Snowflake orderIds() {
            return TestSnowflake.workerId(8);
        }
    }

    @Test
    void aBeanOfTheParentReplacesTheGeneratorOfItsQualifierInTheChildToo() {
        memory.withUserConfiguration(OwnOrders.class).run(parent -> memory.withPropertyValues(
                        "snowflake.claim-at-start=default,orders")
                .withParent(parent)
                .withUserConfiguration(TwoGenerators.class)
                .run(child -> {
                    assertThat(child.getBean(TwoGenerators.class).orders).isInstanceOf(TestSnowflake.class);
                    assertThat(store.meta("snowflake/orders")).isNull();
                }));
    }

    @Test
    void aBeanOfTheChildLeavesTheGeneratorOfTheParentUnclaimed() {
        memory.withPropertyValues("snowflake.generators.orders.worker-ids=3")
                .run(parent -> memory.withPropertyValues("snowflake.claim-at-start=orders")
                        .withParent(parent)
                        .withUserConfiguration(OwnOrders.class)
                        .run(child -> {
                            assertThat(child).hasNotFailed();
                            assertThat(store.calls()).isZero();
                        }));
    }
}
