// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.testservers.EtcdCluster;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.TcpProxy;

/**
 * etcd loses what it had acknowledged, under generators that issue all the time: they notice within an extension and say so, and
 * the operator's command makes the namespace safe again. In most scenes one generator is cut off from etcd when it happens: it can't
 * notice, issues to its limit, and that must harm nobody either.
 */
@Execution(ExecutionMode.CONCURRENT)
class DisasterTest {

    private static EtcdServer edited;

    @BeforeAll
    static void startServer() {
        edited = EtcdServer.start();
    }

    @AfterAll
    static void stopServer() {
        edited.close();
    }

    private static String through(TcpProxy proxy) {
        return "http://127.0.0.1:" + proxy.port();
    }

    private static void loseAllData(EtcdServer etcd) {
        etcd.kill();
        etcd.wipe();
        etcd.startAgain();
        etcd.awaitHealthy();
    }

    /** After the restore the same worker ids are claimed again at once, by new processes. */
    private static void restoreAndStartAgain(Scene scene, int... workerIds) {
        scene.restore();
        startAgain(scene, workerIds);
    }

    private static void startAgain(Scene scene, int... workerIds) {
        for (int workerId : workerIds) {
            scene.start("after-" + workerId, workerId).awaitExtension();
        }
    }

    @Test
    void wipe() {
        try (EtcdServer etcd = EtcdServer.start();
                TcpProxy proxy = TcpProxy.to(etcd.clientPort());
                Scene scene = new Scene("wipe", etcd.endpoint())) {
            Scene.Issuer one = scene.start("one", 0);
            Scene.Issuer cutOff = scene.start("cut-off", through(proxy), 1, "create");
            one.awaitExtension();
            cutOff.awaitExtension();
            proxy.freeze();

            loseAllData(etcd);

            one.requireNoticed(Instant.now(), "lost its record (meta)");
            assertThatThrownBy(
                            () -> LeasedSnowflake.open(scene.settings("wipe-required", etcd.endpoint(), 2, "require")))
                    .isInstanceOf(CoordinatorException.class)
                    .hasMessageContaining("does not exist, and snowflake.namespace-creation=require");
            Scene.Issuer tooEarly = scene.start("too-early", 2);
            assertThat(LogLines.of("wipe-too-early"))
                    .anyMatch(line -> line.startsWith("WARNING")
                            && line.contains("did not exist and was created. If it should have existed, the coordinator"
                                    + " lost its data: stop now."));
            scene.restore();
            tooEarly.requireNoticed(Instant.now(), "was restored by its operator");
            startAgain(scene, 0, 1, 2);
            cutOff.requireUsedUp();
            scene.requireNoDuplicate();
        }
    }

    @Test
    void wipeThatAProcessCutOffCannotNoticeIsHarmlessUnderFencedCreationOnly() {
        try (EtcdServer etcd = EtcdServer.start();
                TcpProxy proxy = TcpProxy.to(etcd.clientPort())) {
            try (Scene fenced = new Scene("fenced", etcd.endpoint());
                    Scene unfenced = new Scene("unfenced", etcd.endpoint())) {
                Scene.Issuer one = fenced.start("cut-off", through(proxy), 0, "create");
                Scene.Issuer two = unfenced.start("cut-off", through(proxy), 0, "create");
                one.awaitExtension();
                two.awaitExtension();
                proxy.freeze();

                loseAllData(etcd);

                Scene.Issuer blind = unfenced.start("blind", 0);
                two.requireUsedUp();
                Scene.Issuer careful = fenced.start("careful", etcd.endpoint(), 0, "create-fenced");
                one.requireUsedUp();
                careful.awaitExtension();
                blind.awaitIds();
                assertThat(unfenced.count().repeated()).isPositive();
                fenced.requireNoDuplicate();
            }
        }
    }

    @Test
    void oldBackup() {
        try (EtcdServer etcd = EtcdServer.start();
                TcpProxy proxy = TcpProxy.to(etcd.clientPort());
                Scene scene = new Scene("backup", etcd.endpoint())) {
            Scene.Issuer one = scene.start("one", 0);
            Scene.Issuer cutOff = scene.start("cut-off", through(proxy), 1, "create");
            one.awaitExtension();
            Path backup = etcd.backup();
            Scene.Issuer later = scene.start("later", 2);
            one.awaitExtension();
            cutOff.awaitExtension();
            later.awaitExtension();
            proxy.freeze();

            etcd.kill();
            etcd.restore(backup);
            etcd.startAgain();
            etcd.awaitHealthy();

            Instant back = Instant.now();
            one.requireNoticed(back, "shows for worker id 0 the mark 'limit=");
            later.requireNoticed(back, "lost the mark of worker id 2");
            // The namespace is there, so nothing keeps it from starting, whatever namespace-creation says.
            Scene.Issuer tooEarly = scene.start("too-early", etcd.endpoint(), 3, "require");
            scene.restore();
            tooEarly.requireNoticed(Instant.now(), "was restored by its operator");
            startAgain(scene, 0, 1, 2);
            cutOff.requireUsedUp();
            scene.requireNoDuplicate();
        }
    }

    @Test
    void newClusterForcedFromAMemberThatLagged() {
        try (EtcdCluster cluster = EtcdCluster.start(3);
                Scene scene = new Scene("forced", cluster.endpoints())) {
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
    }

    @Test
    void deletedMark() {
        try (Scene scene = new Scene("no-mark", edited.endpoint())) {
            Scene.Issuer one = scene.start("one", 0);
            one.awaitExtension();

            edited.etcdctl("del", scene.key("marks/0"));

            one.requireNoticed(Instant.now(), "lost the mark of worker id 0");
            restoreAndStartAgain(scene, 0);
            scene.requireNoDuplicate();
        }
    }

    @Test
    void deletedRecord() {
        try (Scene scene = new Scene("no-record", edited.endpoint())) {
            Scene.Issuer one = scene.start("one", 0);
            one.awaitExtension();

            edited.etcdctl("del", scene.key("meta"));

            one.requireNoticed(Instant.now(), "lost its record (meta)");
            assertThatThrownBy(() -> scene.start("too-early", 1))
                    .hasMessageContaining("has marks of worker ids but lost its record (meta)");
            restoreAndStartAgain(scene, 0);
            scene.requireNoDuplicate();
        }
    }

    private static String loweredBySeconds(int seconds, EtcdServer etcd, String key) {
        String mark = etcd.etcdctl("get", "--print-value-only", key).strip();
        long limit = Long.parseLong(mark.replaceAll("^limit=(\\d+) .*", "$1"));
        return mark.replaceFirst("^limit=\\d+", "limit=" + (limit - 1_000L * seconds));
    }

    @Test
    void loweredMark() {
        try (Scene scene = new Scene("lowered", edited.endpoint())) {
            Scene.Issuer one = scene.start("one", 0);
            one.awaitExtension();

            edited.etcdctl("put", scene.key("marks/0"), loweredBySeconds(600, edited, scene.key("marks/0")));

            one.requireNoticed(Instant.now(), "shows for worker id 0 the mark 'limit=");
            restoreAndStartAgain(scene, 0);
            scene.requireNoDuplicate();
        }
    }

    @Test
    void garbageForAMark() {
        try (Scene scene = new Scene("garbage", edited.endpoint())) {
            Scene.Issuer one = scene.start("one", 0);
            one.awaitExtension();

            edited.etcdctl("put", scene.key("marks/0"), "garbage");

            one.requireNoticed(Instant.now(), "shows for worker id 0 the mark 'garbage'");
            restoreAndStartAgain(scene, 1);
            assertThat(scene.command("status").out()).containsPattern("0 +unreadable mark; free");
            scene.requireNoDuplicate();
        }
    }

    @Test
    void garbageForTheRecord() {
        try (Scene scene = new Scene("rubbish", edited.endpoint())) {
            Scene.Issuer one = scene.start("one", 0);
            one.awaitExtension();

            edited.etcdctl("put", scene.key("meta"), "rubbish");

            // Nothing more is granted, and what was granted is nobody else's.
            String symptom = "has an unreadable record 'rubbish'";
            Scene.await(Scene.NOTICED, () -> LogLines.of(one.generator).stream()
                    .anyMatch(line ->
                            line.startsWith("WARNING") && line.contains("renewal failed") && line.contains(symptom)));
            assertThat(one.ids.status().lastError())
                    .hasValueSatisfying(e -> assertThat(e).contains(symptom));
            one.requireUsedUp();
            assertThat(scene.command("restore", "--yes").exitCode()).isEqualTo(OperatorCommand.FAILED);
            scene.restore("--accept", "unreadable-record");
            one.requireNoticed(Instant.now(), "was replaced by another of the same name");
            startAgain(scene, 0);
            scene.requireNoDuplicate();
        }
    }
}
