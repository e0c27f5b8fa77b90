// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
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

    /** What was granted after the backup was made is granted again by servers that don't know; how soon does that end? */
    @org.junit.jupiter.api.RepeatedTest(6)
    @org.junit.jupiter.api.parallel.Execution(org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD)
    void aBackupOfTwentySecondsAgoUnderFiveGeneratorsForFourWorkerIds() throws Exception {
        try (FragileZooKeeper server = new FragileZooKeeper();
                Scene scene = scene("five", server.settings())) {
            List<Scene.Issuer> holders = IntStream.range(0, 4)
                    .mapToObj(i -> scene.start("holder-" + i, "0-3"))
                    .toList();
            holders.forEach(Scene.Issuer::awaitExtension);
            FragileCoordinator.Backup backup = server.backup();
            Instant backedUp = Instant.now();
            CompletableFuture<Scene.Issuer> waiting = CompletableFuture.supplyAsync(
                    () -> scene.start("waiting", "0-3"), task -> new Thread(task).start());
            Scene.await(Duration.ofSeconds(60), () -> Instant.now().isAfter(backedUp.plusSeconds(20)));
            assertThat(LogLines.of(scene.generator("waiting")))
                    .anyMatch(line -> line.contains("still without a worker id"));

            backup.restore();

            Instant back = Instant.now();
            CompletableFuture<Scene.Issuer> fresh =
                    CompletableFuture.supplyAsync(() -> scene.start("fresh", "0-3"), task -> new Thread(task).start());
            holders.forEach(holder -> {
                holder.requireNoticed(back, "shows for worker id ");
                System.out.println("FIG noticed " + Duration.between(back, Instant.now()));
            });
            fresh.join();
            System.out.println("FIG fresh " + Duration.between(back, Instant.now()));
            waiting.join();
            System.out.println("FIG waiting " + Duration.between(back, Instant.now()));
            long[] duplicates = scene.duplicates();
            var layout = holders.get(0).ids.layout();
            var l = LongStream.of(duplicates)
                    .map(id -> Duration.between(back, layout.decode(id).timestamp())
                            .toMillis())
                    .summaryStatistics();
            System.out.println("FIG duplicates " + l);
            LogLines.of(scene.generator("waiting")).forEach(x -> System.out.println("FIG " + x));
            LogLines.of(scene.generator("fresh")).forEach(x -> System.out.println("FIG " + x));
        }
    }
}
