// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.RunningGenerator;
import org.snowflakeid.testservers.ZooKeeperAdministrator;
import org.snowflakeid.testservers.ZooKeeperServer;

/** The path at the end of the connect string of a running process is deleted, and created anew. */
class ZooKeeperPlacesTest {

    private static void deleteAll(ZooKeeperAdministrator administrator, String path) {
        List<String> children = administrator.children(path);
        if (!children.isEmpty()) {
            administrator.permitDeletionBelow(path);
            children.forEach(child -> deleteAll(administrator, path + "/" + child));
        }
        boolean unused = administrator.delete(path);
    }

    @Test
    void aDeletedPathStopsIdsAndNothingIsCreatedThereBeforeARestart() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServer.start();
                ZooKeeperAdministrator administrator = ZooKeeperAdministrator.of(server);
                Inspector inspector = new Inspector(server.clientPort(), null);
                RunningGenerator ids = new RunningGenerator(
                        Map.of("snowflake.zookeeper.connect-string", server.connectString() + "/app"))) {
            await(PATIENCE, () -> {
                try {
                    deleteAll(administrator, "/app");
                    return administrator.value("/app").isEmpty();
                } catch (IllegalStateException ownedAnewMeanwhile) {
                    return false;
                }
            });

            ids.awaitStop("lost", "The coordinator lost data it had acknowledged", "Restore it", "then restart");
            assertThat(inspector.stat("/app")).isNull();

            inspector.create("/app", "", CreateMode.PERSISTENT);

            ids.awaitStop("The coordinator lost data it had acknowledged");
            assertThat(inspector.children("/app")).isEmpty();
        }
    }
}
