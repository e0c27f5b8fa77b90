// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ZooKeeperServer;

/** A server whose operator limits what is below a node. */
class QuotaTest {

    // it said that ZooKeeper answers QUOTAEXCEEDED
    @Test
    void aQuotaIsNamedWithItsRemedy() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.builder()
                        .configure("enforceQuota", "true")
                        .start();
                Node node = ZooKeeperNode.at(server.connectString(), "ids");
                Inspector operator = new Inspector(server.clientPort(), null)) {
            node.createMeta();
            operator.create("/zookeeper/quota/ids", "", CreateMode.PERSISTENT);
            operator.create(
                    "/zookeeper/quota/ids/zookeeper_limits",
                    "count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=1",
                    CreateMode.PERSISTENT);
            operator.create("/zookeeper/quota/ids/zookeeper_stats", "count=4,bytes=99", CreateMode.PERSISTENT);

            CoordinatorException refused = catchThrowableOfType(CoordinatorException.class, () -> node.claim(3));

            assertThat(refused)
                    .hasMessageContaining("has a quota at /ids or above that leaves no room: QUOTAEXCEEDED. Raise it"
                            + " (listquota, setquota).");
            assertThat(refused.permanent()).isFalse();
        }
    }
}
