// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RunbookOnZooKeeperTest extends RunbookContract {

    RunbookOnZooKeeperTest() {
        super("zookeeper", FragileZooKeeper::new);
    }

    @Test
    void whoHoldsWhat() {
        try (Site site = new Site()) {
            site.open("reference", Map.of("snowflake.worker-ids", "0")).close();

            assertThat(type("coordinator-zookeeper.md", "Who holds what", site.shell))
                    .contains("until=");
        }
    }
}
