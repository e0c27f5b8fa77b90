// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.TcpProxy;

/**
 * A coordinator loses what it had acknowledged, under generators that issue all the time: they notice within an extension and say so,
 * and the operator's command makes the namespace safe again. In some scenes one generator is cut off from the coordinator when it
 * happens: it can't notice, issues to its limit, and must not cause duplicates either.
 */
abstract class DisasterContract {
    private final String coordinator;
    private final Supplier<FragileCoordinator> starter;
    private final Duration delay;

    /** @param delay how much longer than usual a client may need until it is let in by servers that lost data */
    DisasterContract(String coordinator, Supplier<FragileCoordinator> starter, Duration delay) {
        this.coordinator = coordinator;
        this.starter = starter;
        this.delay = delay;
    }

    /** A server in which single keys are edited, for all tests. */
    abstract FragileCoordinator edited();

    Scene scene(String name, Map<String, String> settings) {
        return new Scene(name + "-" + coordinator, settings, delay);
    }

    private Scene scene(String name, FragileCoordinator server) {
        return scene(name, server.settings());
    }

    /** After the restore the same worker ids are claimed again at once, by new processes. */
    static void restoreAndStartAgain(Scene scene, int... workerIds) {
        scene.restore();
        startAgain(scene, workerIds);
    }

    private static void startAgain(Scene scene, int... workerIds) {
        IntStream.of(workerIds)
                .mapToObj(workerId -> scene.start("after-" + workerId, workerId))
                .toList()
                .forEach(Scene.Issuer::awaitExtension);
    }

    @Test
    void wipe() {
        Scene.unlessTooLate(() -> {
            try (FragileCoordinator server = starter.get();
                    TcpProxy proxy = TcpProxy.to(server.port());
                    Scene scene = scene("wipe", server)) {
                Scene.Issuer one = scene.start("one", 0);
                Scene.Issuer cutOff = scene.start("cut-off", server.settings(proxy.port()), 1, "create");
                one.awaitExtension();
                cutOff.awaitExtension();
                proxy.freeze();

                server.loseAllData();

                one.requireNoticed(Instant.now(), "lost its record (meta)");
                assertThatThrownBy(() ->
                                LeasedSnowflake.open(scene.settings("wipe-required", server.settings(), 2, "require")))
                        .isInstanceOf(CoordinatorException.class)
                        .hasMessageContaining("does not exist, and snowflake.namespace-creation=require");
                Scene.Issuer tooEarly = scene.start("too-early", 2);
                assertThat(LogLines.of(tooEarly.generator))
                        .anyMatch(line -> line.startsWith("WARNING")
                                && line.contains("(first start). If it existed before, data was lost: stop, and see"
                                        + " \"Replaced by another\" in the runbook."));
                scene.restore();
                tooEarly.requireRestored(Instant.now());
                startAgain(scene, 0, 1, 2);
                cutOff.requireUsedUp();
                scene.requireNoDuplicate();
            }
        });
    }

    @Test
    void wipeThatAProcessCutOffCannotNoticeIsHarmlessUnderFencedCreationOnly() {
        Scene.unlessTooLate(() -> {
            try (FragileCoordinator server = starter.get();
                    FragileCoordinator empty = starter.get();
                    TcpProxy proxy = TcpProxy.to(server.port())) {
                try (Scene fenced = scene("fenced", server);
                        Scene unfenced = scene("unfenced", server)) {
                    Scene.Issuer one = fenced.start("cut-off", server.settings(proxy.port()), 0, "create");
                    Scene.Issuer two = unfenced.start("cut-off", server.settings(proxy.port()), 0, "create");
                    one.awaitExtension();
                    two.awaitExtension();
                    proxy.freeze();

                    // A wiped server, as all others see it; it is there before the window ends on a busy machine too.
                    Scene.Issuer blind = unfenced.start("blind", empty.settings(), 0, "create");
                    two.requireUsedUp();
                    Scene.Issuer careful = fenced.start("careful", empty.settings(), 0, "create-fenced");
                    one.requireUsedUp();
                    careful.awaitExtension();
                    blind.awaitIds();
                    fenced.requireNoDuplicate();
                    if (unfenced.count().repeated() == 0) {
                        throw new Scene.TooLate("the blind one began when the other had ended");
                    }
                }
            }
        });
    }

    @Test
    void oldBackup() {
        Scene.unlessTooLate(() -> {
            try (FragileCoordinator server = starter.get();
                    TcpProxy proxy = TcpProxy.to(server.port());
                    Scene scene = scene("backup", server)) {
                Scene.Issuer one = scene.start("one", 0);
                Scene.Issuer cutOff = scene.start("cut-off", server.settings(proxy.port()), 1, "create");
                one.awaitExtension();
                FragileCoordinator.Backup backup = server.backup();
                Scene.Issuer later = scene.start("later", 2);
                one.awaitExtension();
                cutOff.awaitExtension();
                later.awaitExtension();
                proxy.freeze();

                backup.restore();

                Instant back = Instant.now();
                one.requireNoticed(back, "shows for worker id 0 the mark 'limit=");
                later.requireNoticed(back, "lost the mark of worker id 2");
                // The namespace is there, so nothing keeps it from starting, whatever namespace-creation says.
                Scene.Issuer tooEarly = scene.start("too-early", server.settings(), 3, "require");
                scene.restore();
                tooEarly.requireRestored(Instant.now());
                startAgain(scene, 0, 1, 2);
                cutOff.requireUsedUp();
                scene.requireNoDuplicate();
            }
        });
    }

    @Test
    void deletedMark() {
        Scene.unlessTooLate(() -> {
            try (Scene scene = scene("no-mark", edited())) {
                Scene.Issuer one = scene.start("one", 0);
                one.awaitExtension();

                edited().delete(scene.key("marks/0"));

                one.requireNoticed(Instant.now(), "lost the mark of worker id 0");
                restoreAndStartAgain(scene, 0);
                scene.requireNoDuplicate();
            }
        });
    }

    @Test
    void deletedRecord() {
        Scene.unlessTooLate(() -> {
            try (Scene scene = scene("no-record", edited())) {
                Scene.Issuer one = scene.start("one", 0);
                one.awaitExtension();

                edited().delete(scene.key("meta"));

                one.requireNoticed(Instant.now(), "lost its record (meta)");
                assertThatThrownBy(() -> scene.start("too-early", 1))
                        .hasMessageContaining("has marks of worker ids but lost its record (meta)");
                scene.restore("--accept", "lost-record");
                startAgain(scene, 0);
                scene.requireNoDuplicate();
            }
        });
    }

    private static String loweredBySeconds(int seconds, String mark) {
        long limit = Long.parseLong(mark.replaceAll("^limit=(\\d+) .*", "$1"));
        return mark.replaceFirst("^limit=\\d+", "limit=" + (limit - 1_000L * seconds));
    }

    @Test
    void loweredMark() {
        Scene.unlessTooLate(() -> {
            try (Scene scene = scene("lowered", edited())) {
                Scene.Issuer one = scene.start("one", 0);
                one.awaitExtension();

                String mark = scene.key("marks/0");
                edited().write(mark, loweredBySeconds(600, edited().read(mark)));

                one.requireNoticed(Instant.now(), "shows for worker id 0 the mark 'limit=");
                restoreAndStartAgain(scene, 0);
                scene.requireNoDuplicate();
            }
        });
    }

    @Test
    void garbageForAMark() {
        Scene.unlessTooLate(() -> {
            try (Scene scene = scene("garbage", edited())) {
                Scene.Issuer one = scene.start("one", 0);
                one.awaitExtension();

                edited().write(scene.key("marks/0"), "garbage");

                one.requireNoticed(Instant.now(), "shows for worker id 0 the mark 'garbage'");
                restoreAndStartAgain(scene, 1);
                assertThat(scene.command("status").out()).containsPattern("0 +unreadable mark; free");
                scene.requireNoDuplicate();
            }
        });
    }

    @Test
    void garbageForTheRecord() {
        Scene.unlessTooLate(() -> {
            try (Scene scene = scene("rubbish", edited())) {
                Scene.Issuer one = scene.start("one", 0);
                one.awaitExtension();

                edited().write(scene.key("meta"), "rubbish");

                // Nothing more is granted, and what was granted stays its holder's alone.
                String symptom = "has an unreadable record 'rubbish'";
                Instant written = Instant.now();
                Scene.await(Scene.PATIENCE, () -> LogLines.of(one.generator).stream()
                        .anyMatch(line -> line.startsWith("WARNING")
                                && line.contains("extension failed")
                                && line.contains(symptom)));
                Duration noticed = Duration.between(written, Instant.now());
                // A call that came to no end may be the last error for a while.
                Scene.await(
                        Scene.PATIENCE,
                        () -> one.ids.status().lastError().orElse("").contains(symptom));
                Scene.requireInTime(noticed, Scene.NOTICED);
                one.requireUsedUp();
                assertThat(scene.tryToRestore().exitCode()).isEqualTo(OperatorCommand.FAILED);
                scene.restore("--accept", "unreadable-record");
                one.requireNoticed(Instant.now(), "as by an operator who restored it");
                startAgain(scene, 0);
                scene.requireNoDuplicate();
            }
        });
    }
}
