// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** House is moved under generators that issue all the time. */
@Execution(ExecutionMode.CONCURRENT)
class MoveTest {

    @Test
    void fromEtcdToZooKeeperAndBackNoIdRepeatsAndAllNewOnesAreGreater() {
        try (FragileEtcd etcd = new FragileEtcd();
                FragileZooKeeper zooKeeper = new FragileZooKeeper();
                Scene scene = new Scene("move", etcd.settings())) {
            Scene.Issuer[] first = startTwo(scene, "first", etcd.settings());
            scene.move(etcd.settings(), zooKeeper.settings());
            Scene.Issuer[] second = startTwo(scene, "second", zooKeeper.settings());
            requireLeft(first, "zookeeper:");
            scene.move(zooKeeper.settings(), etcd.settings());
            Scene.Issuer[] third = startTwo(scene, "third", etcd.settings());
            requireLeft(second, "etcd:");

            scene.requireNoDuplicate();
            assertThat(issued(second).min().orElseThrow())
                    .isGreaterThan(issued(first).max().orElseThrow());
            assertThat(issued(third).min().orElseThrow())
                    .isGreaterThan(issued(second).max().orElseThrow());
        }
    }

    private static Scene.Issuer[] startTwo(Scene scene, String role, Map<String, String> coordinator) {
        Scene.Issuer[] two = {
            scene.start(role + "-0", coordinator, 0, "create"), scene.start(role + "-1", coordinator, 1, "create")
        };
        List.of(two).forEach(Scene.Issuer::awaitExtension);
        return two;
    }

    private static void requireLeft(Scene.Issuer[] issuers, String movedTo) {
        for (Scene.Issuer issuer : issuers) {
            issuer.requireStopped("was retired: it moved to " + movedTo);
        }
    }

    private static LongStream issued(Scene.Issuer... issuers) {
        return Arrays.stream(issuers).flatMapToLong(Scene.Issuer::issued);
    }
}
