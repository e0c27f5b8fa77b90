// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.EtcdCluster;
import org.snowflakeid.testservers.EtcdServer;

class DisasterOnEtcdTest extends DisasterContract {

    private static FragileCoordinator edited;

    DisasterOnEtcdTest() {
        super("etcd", FragileEtcd::new, Duration.ZERO);
    }

    @BeforeAll
    static void startServer() {
        edited = new FragileEtcd();
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
    void newClusterForcedFromAMemberThatLagged() {
        Scene.unlessTooLate(() -> {
            try (EtcdCluster cluster = EtcdCluster.start(3);
                    Scene scene = scene("forced", FragileEtcd.settings(cluster.endpoints()))) {
                Scene.Issuer one = scene.start("one", 0);
                one.awaitExtension();
                EtcdServer lagging = cluster.members().stream()
                        .filter(member -> !member.leads())
                        .findFirst()
                        .orElseThrow();
                lagging.pause();
                one.awaitExtension();
                Scene.Issuer later = scene.start("later", 1);
                one.awaitExtension();

                cluster.members().forEach(EtcdServer::kill);
                lagging.startForcingNewCluster();
                lagging.awaitHealthy();

                Instant back = Instant.now();
                one.requireNoticed(back, "shows for worker id 0 the mark 'limit=");
                later.requireNoticed(back, "lost the mark of worker id 1");
                restoreAndStartAgain(scene, 0, 1);
                scene.requireNoDuplicate();
            }
        });
    }
}
