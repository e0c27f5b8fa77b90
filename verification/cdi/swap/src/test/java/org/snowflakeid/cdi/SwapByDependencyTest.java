// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.testservers.ZooKeeperServer;

/** The only coordinator among the dependencies is the one that is used: nothing names it. */
class SwapByDependencyTest {
    private static final String KEY = "snowflake.zookeeper.connect-string";

    @Singleton
    static class Application {
        @Inject
        Snowflake ids;
    }

    @AfterEach
    void clear() {
        System.clearProperty(KEY);
    }

    @Test
    void theCoordinatorOnTheClassPathIsUsedWithNothingSetButWhereItIs() {
        try (ZooKeeperServer server = ZooKeeperServer.start()) {
            System.setProperty(KEY, server.connectString());
            SeContainerInitializer application =
                    SeContainerInitializer.newInstance().addBeanClasses(Application.class);
            try (SeContainer container = application.initialize()) {
                Snowflake ids = container.select(Application.class).get().ids;

                assertThat(ids.nextId()).isPositive().isLessThan(ids.nextId());
                assertThat(ids.status().coordinator()).isEqualTo("zookeeper");
                assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
                assertThat(server.figure("zk_ephemerals_count")).isEqualTo(1);
            }
            assertThat(server.figure("zk_ephemerals_count")).isZero();
        }
    }
}
