// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.ZooKeeperEnsemble;
import org.snowflakeid.testservers.ZooKeeperServer;

class DisasterOnZooKeeperTest extends DisasterContract {

    private static FragileCoordinator edited;

    DisasterOnZooKeeperTest() {
        // They refuse its session, which has seen more than they have; then it begins another.
        super("zookeeper", FragileZooKeeper::new, Duration.ofSeconds(4));
    }

    @BeforeAll
    static void startServer() {
        edited = new FragileZooKeeper();
    }

    @AfterAll
    static void stopServer() {
        edited.close();
    }

    @Override
    FragileCoordinator edited() {
        return edited;
    }

    @Test
    void aQuorumWithEmptyDisksFollowsAMemberThatLagged() {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(3);
                Scene scene = scene("lagged", FragileZooKeeper.settings(ensemble.connectString()))) {
            Scene.Issuer one = scene.start("one", 0);
            one.awaitExtension();
            ZooKeeperServer leader = ensemble.leader();
            List<ZooKeeperServer> followers = ensemble.members().stream()
                    .filter(member -> !member.equals(leader))
                    .toList();
            ZooKeeperServer lagging = followers.get(0);
            lagging.pause();
            one.awaitExtension();
            Scene.Issuer later = scene.start("later", 1);
            one.awaitExtension();

            ensemble.members().forEach(ZooKeeperServer::kill);
            leader.wipe();
            followers.get(1).wipe();
            lagging.startAgain();
            leader.startAgain();
            lagging.awaitHealthy();
            followers.get(1).startAgain();
            ensemble.members().forEach(ZooKeeperServer::awaitHealthy);

            Instant back = Instant.now();
            one.requireNoticed(back, "shows for worker id 0 the mark 'limit=");
            later.requireNoticed(back, "lost the mark of worker id 1");
            restoreAndStartAgain(scene, 0, 1);
            scene.requireNoDuplicate();
        }
    }
}
