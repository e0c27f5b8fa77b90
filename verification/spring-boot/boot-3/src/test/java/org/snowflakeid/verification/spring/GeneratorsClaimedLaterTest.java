// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.spring.SnowflakeAutoConfiguration;
import org.snowflakeid.testing.MemoryStore;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Generators that the application asks for when its context has started, or is closed. */
class GeneratorsClaimedLaterTest {

    private final ApplicationContextRunner memory = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SnowflakeAutoConfiguration.class))
            .withPropertyValues("snowflake.coordinator=memory", "snowflake.worker-ids=3");

    private final MemoryStore store = MemoryStore.named(MemoryStore.DEFAULT_NAME);

    @AfterEach
    void forgetWorkerIds() {
        MemoryStore.discard(MemoryStore.DEFAULT_NAME);
    }

    @Configuration(proxyBeanMethods = false)
    static class Later {
        final ObjectProvider<Snowflake> ids;

        Later(ObjectProvider<Snowflake> ids) {
            this.ids = ids;
        }
    }

    /** Created before our beans, and so closed after them. */
    @Configuration(proxyBeanMethods = false)
    static class ReconnectsAtTheEnd implements DisposableBean {
        @Override
        public void destroy() {
            MemoryStore.named(MemoryStore.DEFAULT_NAME).reconnect();
        }
    }

    // its worker id was held, and extended, until the JVM ended
    @Test
    void aGeneratorThatIsClaimedWhileTheContextClosesGivesItsWorkerIdBack() {
        CompletableFuture<Snowflake> claimed = new CompletableFuture<>();
        store.disconnect();

        memory.withPropertyValues("snowflake.window=PT10S", "snowflake.startup-timeout=PT20S")
                .withUserConfiguration(ReconnectsAtTheEnd.class, Later.class)
                .run(context -> {
                    ObjectProvider<Snowflake> ids = context.getBean(Later.class).ids;
                    var unused = claimed.completeAsync(ids::getObject, task -> new Thread(task).start());
                    while (store.calls() == 0) {
                        LockSupport.parkNanos(1_000_000);
                    }
                });

        // Before Spring 6.2 the end of the context waits for it, and the coordinator is away.
        assertThat(claimed.handle((ids, failure) ->
                                failure != null || !ids.status().ready())
                        .join())
                .isTrue();
        assertThat(store.owner("snowflake", 3)).isNull();
    }

    // it claimed a worker id, and kept it until the JVM ended
    @Test
    void afterTheContextIsClosedNothingIsClaimed() {
        AtomicReference<ObjectProvider<Snowflake>> ids = new AtomicReference<>();
        memory.withUserConfiguration(Later.class).run(context -> ids.set(context.getBean(Later.class).ids));

        assertThatThrownBy(() -> ids.get().getObject())
                .hasRootCauseInstanceOf(SnowflakeUnavailableException.class)
                .rootCause()
                .hasMessageContaining("snowflake 'default': the application context is closed");
        assertThat(store.calls()).isZero();
    }

    @Configuration(proxyBeanMethods = false)
    static class FinishesAGeneratorAtTheSecondAttempt {
        @Bean
        static BeanPostProcessor failingOnce() {
            AtomicBoolean failed = new AtomicBoolean();
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof Snowflake && failed.compareAndSet(false, true)) {
                        throw new IllegalStateException("no proxy for " + name);
                    }
                    return bean;
                }
            };
        }
    }

    // "namespace 'snowflake' is that of generator 'default' too", until the application was started again
    @Test
    void aGeneratorWhoseBeanWasNotFinishedIsThereAtTheNextAttempt() {
        memory.withUserConfiguration(Later.class, FinishesAGeneratorAtTheSecondAttempt.class)
                .run(context -> {
                    ObjectProvider<Snowflake> ids = context.getBean(Later.class).ids;
                    assertThatThrownBy(ids::getObject).hasRootCauseMessage("no proxy for snowflake.default");

                    assertThat(ids.getObject().nextId()).isPositive();
                    assertThat(ids.getObject().status().workerId()).hasValue(3);
                });
        assertThat(store.owner("snowflake", 3)).isNull();
    }

    // nothing was claimed at the start, and no message said why
    @ParameterizedTest
    @ValueSource(strings = {"snowflake.claim-at-start[0]", "snowflake.claim-at-strat"})
    void aMisspeltKeyStopsTheStartThoughNothingIsClaimedThere(String key) {
        memory.withPropertyValues(key + "=default")
                .withUserConfiguration(Later.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining(key + " is no key")
                        .hasMessageContaining("The nearest is snowflake.claim-at-start"));
    }
}
