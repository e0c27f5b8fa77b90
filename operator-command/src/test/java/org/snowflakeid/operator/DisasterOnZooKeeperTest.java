// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.tck.Stopwatch;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.ZooKeeperEnsemble;
import org.snowflakeid.testservers.ZooKeeperServer;

class DisasterOnZooKeeperTest extends DisasterContract {

    /**
     * An attempt to connect each second, and a pause of up to a second after a call that failed. That is less than the wait before an
     * owner is replaced. A machine that is held up for that long is no fault of ours.
     */
    private static final Duration NOTICED_WITHIN = Duration.ofMillis(2_500);

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
        Scene.unlessTooLate(() -> {
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
        });
    }

    /**
     * Servers that don't know what was granted since the backup can grant it again. Its holders look as soon as they are connected again, and
     * stop; no other process gets their worker ids before they had time to.
     */
    @Test
    void aBackupOfTwentySecondsAgoUnderFiveGeneratorsForFourWorkerIds() throws Exception {
        Stopwatch.unlessHeldUp(NOTICED_WITHIN, (number, stopwatch) -> {
            try (FragileZooKeeper server = new FragileZooKeeper();
                    Scene scene = scene("five-" + number, server.settings())) {
                List<Scene.Issuer> holders = IntStream.range(0, 4)
                        .mapToObj(i -> scene.start("holder-" + i, "0-3"))
                        .toList();
                holders.forEach(Scene.Issuer::awaitExtension);
                FragileCoordinator.Backup backup = server.backup();
                Instant backedUp = Instant.now();
                CompletableFuture<Scene.Issuer> waiting = start(scene, "waiting");
                Scene.await(Duration.ofSeconds(60), () -> Instant.now().isAfter(backedUp.plusSeconds(20)));
                assertThat(LogLines.of(scene.generator("waiting")))
                        .anyMatch(line -> line.contains("still without a worker id"));

                backup.restore();

                stopwatch.startAgain();
                Instant back = Instant.now();
                CompletableFuture<Scene.Issuer> fresh = start(scene, "fresh");
                holders.forEach(holder -> holder.requireNoticed(back, "shows for worker id "));
                Duration noticed = Duration.between(back, Instant.now());
                fresh.join();
                waiting.join();
                Scene.Duplicates duplicates = scene.duplicates(back);
                System.out.println("A backup of twenty seconds ago: all holders stopped after " + noticed.toMillis()
                        + " ms; " + duplicates);
                assertThat(noticed).isLessThan(NOTICED_WITHIN);
                assertThat(duplicates.count()).isZero();
            }
        });
    }

    /** In a thread of its own: it may have to wait for the others. */
    private static CompletableFuture<Scene.Issuer> start(Scene scene, String role) {
        return CompletableFuture.supplyAsync(() -> scene.start(role, "0-3"), task -> new Thread(task, role).start());
    }

    /** Without a trace of an owner in the backup, the next process does not wait: how long may that last? */
    @Test
    void aWorkerIdThatWasClaimedAfterTheBackupIsIssuedTwiceForLessThanASecondAfterTheReconnect() throws Exception {
        Stopwatch.unlessHeldUp(NOTICED_WITHIN, (number, stopwatch) -> {
            try (FragileZooKeeper server = new FragileZooKeeper();
                    Scene scene = scene("later-" + number, server.settings())) {
                scene.start("one", 0).awaitExtension();
                FragileCoordinator.Backup backup = server.backup();
                Scene.Issuer later = scene.start("later", 1);
                later.awaitExtension();

                backup.restore();

                stopwatch.startAgain();
                Instant back = Instant.now();
                Scene.Issuer fresh = scene.start("fresh", 1);
                later.requireNoticed(back, "worker id 1");
                Duration noticed = Duration.between(back, Instant.now());
                fresh.awaitIds();
                Scene.Duplicates duplicates = scene.duplicates(back);
                System.out.println("A worker id claimed after the backup: its holder stopped after "
                        + noticed.toMillis() + " ms; " + duplicates);
                assertThat(noticed).isLessThan(NOTICED_WITHIN);
                assertThat(duplicates.lastMillis()).isLessThanOrEqualTo(noticed.toMillis());
            }
        });
    }
}
