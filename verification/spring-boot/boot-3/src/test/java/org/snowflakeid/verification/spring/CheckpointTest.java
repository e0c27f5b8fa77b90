// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.crac.CheckpointException;
import org.crac.Core;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spring.SnowflakeAutoConfiguration;
import org.snowflakeid.testing.MemoryStore;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A context whose process is checkpointed, by a stand-in for a JDK that can. */
class CheckpointTest {

    private final ApplicationContextRunner memory = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SnowflakeAutoConfiguration.class))
            .withUserConfiguration(WebServer.class)
            .withPropertyValues("snowflake.coordinator=memory", "snowflake.claim-at-start=default");

    @AfterEach
    void forgetWorkerIds() {
        MemoryStore.discard(MemoryStore.DEFAULT_NAME);
    }

    /** Takes requests while it runs, and wants ids for them. */
    static final class Requests implements SmartLifecycle {
        private final Snowflake ids;
        private final List<State> statesAtStartAndStop = new ArrayList<>();
        private boolean running;

        Requests(Snowflake ids) {
            this.ids = ids;
        }

        @Override
        public void start() {
            running = true;
            statesAtStartAndStop.add(ids.status().state());
        }

        @Override
        public void stop() {
            running = false;
            statesAtStartAndStop.add(ids.status().state());
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WebServer {
        @Bean
        Requests requests(Snowflake ids) {
            return new Requests(ids);
        }
    }

    // Spring stops its web server, then the generator gives its worker id back; and the other way round
    @Test
    void thereAreIdsForAsLongAsRequestsAreTaken() {
        memory.run(context -> {
            Snowflake ids = context.getBean(Snowflake.class);
            long last = ids.nextId();
            Requests requests = context.getBean(Requests.class);
            System.gc();

            Core.checkpointRestore();

            assertThat(requests.statesAtStartAndStop).containsExactly(State.ACTIVE, State.ACTIVE, State.ACTIVE);
            assertThat(requests.isRunning()).isTrue();
            assertThat(ids.nextId()).isGreaterThan(last);
        });
    }

    @Test
    void aCheckpointIsRefusedWhereTheWorkerIdIsNotGivenBack() {
        // A store of its own: applications of other tests that are still open are told of the checkpoint too, and would
        // wait for theirs.
        String own = "refused-checkpoint";
        memory.withPropertyValues(
                        "snowflake.memory.store=" + own, "snowflake.window=PT4S", "snowflake.startup-timeout=PT6S")
                .run(context -> {
                    Snowflake ids = context.getBean(Snowflake.class);
                    MemoryStore.named(own).disconnect();

                    assertThatThrownBy(Core::checkpointRestore)
                            .isInstanceOf(CheckpointException.class)
                            .satisfies(e -> assertThat(e.getSuppressed()).anySatisfy(each -> assertThat(each)
                                    .hasMessageContaining("no checkpoint: memory did not")));

                    MemoryStore.named(own).reconnect();
                    assertThat(ids.nextId()).isPositive();
                });
    }

    @Test
    void withoutCracNothingOfItIsLoaded() {
        memory.withClassLoader(new FilteredClassLoader("org.crac"))
                .run(context ->
                        assertThat(context.getBean(Snowflake.class).nextId()).isPositive());
    }
}
