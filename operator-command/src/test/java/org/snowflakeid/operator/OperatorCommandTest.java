// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.NamespaceDoubt;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** What the command says and how it ends, on the in-memory coordinator and on folders. */
class OperatorCommandTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final String namespace = "test-" + UUID.randomUUID();

    @TempDir
    private Path folder;

    private String[] inMemory(String command, String... more) {
        String[] all = new String[more.length + 3];
        all[0] = command;
        all[1] = "-Dsnowflake.coordinator=memory";
        all[2] = "-Dsnowflake.namespace=" + namespace;
        System.arraycopy(more, 0, all, 3, more.length);
        return all;
    }

    private Map<String, String> keys() {
        return Map.of("snowflake.coordinator", "memory", "snowflake.namespace", namespace);
    }

    private LeasedSnowflake generator() {
        return LeasedSnowflake.open(SnowflakeSettings.of(keys()));
    }

    private WorkerCoordinator raw() {
        return ServiceLoader.load(WorkerCoordinatorProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("memory"))
                .findFirst()
                .orElseThrow()
                .open(new CoordinatorConfig("raw", namespace, Duration.ofMinutes(1), key -> null), () -> {});
    }

    private String meta() {
        Stored meta = raw().read(0, 0, TIMEOUT).meta();
        return meta == null ? "" : meta.value();
    }

    @Test
    void statusShowsWhoHoldsWhatAndChangesNothing() {
        Session before = Session.run(inMemory("status"));
        assertThat(before.exitCode()).isZero();
        assertThat(before.out()).contains("record       absent");
        assertThat(meta()).isEmpty();
        try (LeasedSnowflake ids = generator()) {
            int workerId = ids.status().workerId().orElseThrow();
            String meta = meta();

            Session session = Session.run(inMemory("status"));

            assertThat(session.exitCode()).isZero();
            assertThat(session.err()).isEmpty();
            assertThat(session.out())
                    .contains("namespace    " + namespace + " at memory")
                    .contains("record       active, id ")
                    .contains("epoch 2020-01-01T00:00:00Z, 10 bits of worker id, 12 of sequence")
                    .contains("max-window   PT1M")
                    .contains("worker ids   1 held, 1 ever claimed of 1024")
                    .containsPattern(workerId + " +reserved until \\S+, \\d+ s from now; held by host \\S+ since ");
            assertThat(meta()).isEqualTo(meta);
        }
        assertThat(Session.run(inMemory("status")).out()).doesNotContain("reserved until");
        assertThat(Session.run(inMemory("status", "--all")).out()).contains("; free");
    }

    @Test
    void restoreAsksAndWithoutAYesDoesNothing() {
        generator().close();
        String meta = meta();

        Session noAnswer = Session.run(inMemory("restore"));
        Session no = Session.run(Map.of(), "y\n", inMemory("restore"));

        assertThat(List.of(noAnswer.exitCode(), no.exitCode())).containsOnly(3);
        assertThat(no.out())
                .contains("The record is retired", "no new id is dated before")
                .endsWith("Type the name of the namespace: ");
        assertThat(no.err()).contains("nothing was changed", "--yes", "--namespace", namespace);
        assertThat(meta()).isEqualTo(meta);
    }

    @Test
    void restoreReplacesTheRecord() {
        generator().close();
        String meta = meta();

        Session session = Session.run(Map.of(), namespace + "\n", inMemory("restore"));

        assertThat(session.exitCode()).isZero();
        assertThat(session.out()).contains("Restored. Its ids are dated");
        assertThat(meta()).isNotEqualTo(meta).contains("state=active", "replaces=");
    }

    @Test
    void lostRecordIsRestoredWithTheLayoutGiven() {
        String[] restore = inMemory("restore", "--yes", "--namespace", namespace, "-Dsnowflake.worker-id-bits=9");

        Session refused = Session.run(restore);
        Session session = Session.run(inMemory(
                "restore",
                "--yes",
                "--namespace",
                namespace,
                "-Dsnowflake.worker-id-bits=9",
                "--accept",
                "lost-record"));

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("Look whether the settings name what you mean", "--accept lost-record");
        assertThat(session.exitCode()).isZero();
        assertThat(session.out()).contains("The record is lost", "9 bits of worker id");
        assertThat(meta()).contains("worker-id-bits=9");
    }

    @Test
    void doubtIsRefusedWithTheWordThatAcceptsIt() {
        assertThat(raw().writeMeta(null, "rubbish", TIMEOUT)).isNotNull();

        Session refused = Session.run(inMemory("restore", "--yes", "--namespace", namespace));
        Session other =
                Session.run(inMemory("restore", "--yes", "--namespace", namespace, "--accept", "far-ahead-marks"));
        Session accepted =
                Session.run(inMemory("restore", "--yes", "--namespace", namespace, "--accept", "unreadable-record"));

        assertThat(List.of(refused.exitCode(), other.exitCode())).containsOnly(1);
        assertThat(refused.err()).contains("nothing was changed", "--accept unreadable-record");
        assertThat(accepted.exitCode()).isZero();
        assertThat(meta()).contains("state=active");
    }

    @Test
    void moveRetiresTheOldAndCreatesTheNewOnce() throws IOException {
        generator().close();
        Path target = folder.resolve("target.properties");
        Files.writeString(
                target, "snowflake.file.directory=" + folder.resolve("ids") + "\nquarkus.http.port=${port}\n");
        String[] move = inMemory(
                "move",
                "--to",
                target.toString(),
                "--to",
                "snowflake.coordinator=file",
                "--yes",
                "--namespace",
                namespace);

        Session session = Session.run(move);
        Session again = Session.run(move);

        assertThat(session.exitCode()).isZero();
        assertThat(session.out()).contains("Moved. Its ids are dated", "at file (" + folder.resolve("ids") + ")");
        assertThat(meta()).contains("state=moved", "moved-to=file:" + namespace, "successor=");
        assertThat(Session.run(inMemory("status")).out())
                .contains("record       moved, id ", ", to file:" + namespace + " (id ");
        assertThat(Files.readString(RecordFile.of(folder.resolve("ids").resolve(namespace))))
                .contains("state=active", "replaces=");
        assertThat(again.exitCode()).isZero();
        assertThat(again.out()).contains("It has moved already");
        Session back = Session.run(inMemory("restore", "--yes", "--namespace", namespace));
        assertThat(back.exitCode()).isEqualTo(1);
        assertThat(back.err()).contains("moved to file:" + namespace);
    }

    private String[] moveTo(Path target, String... more) {
        String[] arguments =
                inMemory("move", "--to", "snowflake.coordinator=file", "--to", "x", "--namespace", namespace, "--yes");
        arguments[6] = "snowflake.file.directory=" + target;
        String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return all;
    }

    @Test
    void aSecondSuccessorOfTheSameNameIsRefused() {
        generator().close();
        Session first = Session.run(moveTo(folder.resolve("one")));

        Session second = Session.run(moveTo(folder.resolve("two"), "--accept", "lost-successor=" + successor()));

        assertThat(first.exitCode()).as(first.all()).isZero();
        assertThat(second.exitCode()).isEqualTo(1);
        assertThat(second.err()).contains("moved to file:" + namespace, "To come back, move from there to here.");
        assertThat(folder.resolve("two").resolve(namespace).resolve("meta")).doesNotExist();
    }

    @Test
    void anInterruptedMoveIsShownAndGoesOnWhereItEnded() throws IOException {
        generator().close();
        Path target = folder.resolve("ids");
        Session done = Session.run(moveTo(target));
        // As if it had ended before the new namespace was put in use, and was noted.
        Path record = RecordFile.of(target.resolve(namespace));
        Stored moved = raw().read(0, 0, TIMEOUT).meta();
        raw().writeMeta(moved, meta().replace("state=moved", "state=retired"), TIMEOUT);
        Files.writeString(record, Files.readString(record).replace("state=active", "state=reserved"));

        Session old = Session.run(inMemory("status"));
        Session reserved =
                Session.run("status", "-Dsnowflake.namespace=" + namespace, "-Dsnowflake.file.directory=" + target);
        Session elsewhere = Session.run(moveTo(folder.resolve("two")));
        Session restored = Session.run(inMemory("restore", "--yes", "--namespace", namespace));
        Session again = Session.run(moveTo(target));

        assertThat(done.exitCode()).as(done.all()).isZero();
        assertThat(old.out()).contains("record       retired, id ", "moving to file:", "run move to finish it");
        assertThat(reserved.out()).contains("record       reserved, id ", "for the move from id ");
        assertThat(List.of(elsewhere.exitCode(), restored.exitCode())).containsOnly(1);
        String accept = "If you have looked into it and accept it, add --accept lost-successor=" + successor();
        assertThat(elsewhere.err()).contains(accept);
        assertThat(restored.err()).contains(accept);
        assertThat(again.exitCode()).as(again.all()).isZero();
        assertThat(again.out()).contains("begun and interrupted", "Moved. Its ids are dated");
        assertThat(meta()).contains("state=moved");
    }

    private String successor() {
        return meta().replaceAll("^.* successor=(\\S+).*$", "$1");
    }

    // the namespace that an operator had moved to meanwhile was given up with the one that was lost
    @Test
    void anAcceptanceThatIsTypedAgainNamesTheSuccessorThatIsLost() throws IOException {
        generator().close();
        beginMove(moveTo(folder.resolve("one")), folder.resolve("one"));
        String lost = successor();
        Session refused = Session.run(inMemory("restore", "--yes", "--namespace", namespace));
        // Another operator leads it elsewhere, and is interrupted.
        beginMove(moveTo(folder.resolve("two"), "--accept", "lost-successor=" + lost), folder.resolve("two"));
        String second = successor();
        String record = meta();

        Session late = Session.run(
                inMemory("restore", "--yes", "--namespace", namespace, "--accept", "lost-successor=" + lost));
        Session unnamed =
                Session.run(inMemory("restore", "--yes", "--namespace", namespace, "--accept", "lost-successor"));
        Session elsewhere = Session.run(moveTo(folder.resolve("three"), "--accept", "lost-successor=" + lost));

        assertThat(refused.err()).contains("--accept lost-successor=" + lost);
        assertThat(second).isNotEqualTo(lost);
        assertThat(List.of(late.exitCode(), unnamed.exitCode(), elsewhere.exitCode()))
                .containsOnly(1);
        assertThat(List.of(late.err(), elsewhere.err())).allSatisfy(said -> assertThat(said)
                .contains("--accept lost-successor=" + lost + " is about another record.")
                .contains("nothing was changed", "add --accept lost-successor=" + second));
        assertThat(unnamed.err())
                .contains("--accept lost-successor does not say of which record.", "lost-successor=" + second);
        assertThat(meta()).isEqualTo(record);
        Session meant = Session.run(
                inMemory("restore", "--yes", "--namespace", namespace, "--accept", "lost-successor=" + second));
        assertThat(meant.exitCode()).as(meant.all()).isZero();
        assertThat(meta()).contains("state=active").doesNotContain("successor");
    }

    /** As if it had ended before the new namespace was put in use. */
    private void beginMove(String[] move, Path target) throws IOException {
        Session done = Session.run(move);
        assertThat(done.exitCode()).as(done.all()).isZero();
        raw().writeMeta(raw().read(0, 0, TIMEOUT).meta(), meta().replace("state=moved", "state=retired"), TIMEOUT);
        Path record = RecordFile.of(target.resolve(namespace));
        Files.writeString(record, Files.readString(record).replace("state=active", "state=reserved"));
    }

    @Test
    void whatChangesWhileTheQuestionWaitsIsNotAccepted() throws IOException {
        generator().close();
        beginMove(moveTo(folder.resolve("one")), folder.resolve("one"));
        String lost = successor();
        Reader anotherOperates = new StringReader(namespace + "\n") {
            private boolean done;

            @Override
            public int read(char[] buffer, int offset, int length) throws IOException {
                if (!done) {
                    done = true;
                    beginMove(
                            moveTo(folder.resolve("two"), "--accept", "lost-successor=" + lost), folder.resolve("two"));
                }
                return super.read(buffer, offset, length);
            }
        };

        Session session =
                Session.run(Map.of(), anotherOperates, inMemory("restore", "--accept", "lost-successor=" + lost));

        assertThat(session.exitCode()).as(session.all()).isEqualTo(OperatorCommand.UNFINISHED);
        assertThat(successor()).isNotEqualTo(lost);
        assertThat(session.err()).contains("another process changed it meanwhile", successor(), "So decide soon.");
        assertThat(meta()).contains("state=retired");
    }

    @Test
    void onlyWhatIsAboutARecordTakesAnId() {
        for (String wrong : List.of("lost-record=a", "lost-successor=", "far-ahead-marks=3")) {
            Session session = Session.run(inMemory("restore", "--accept", wrong));

            assertThat(session.exitCode()).isEqualTo(2);
            assertThat(session.err())
                    .contains("'" + wrong + "': an id follows on reserved-record= and lost-successor= only");
        }
    }

    @Test
    void aMoveThatEndsHalfWayHasAnExitCodeOfItsOwn() throws IOException {
        generator().close();
        Path target = folder.resolve("ids");
        Session.run(moveTo(target));
        Stored moved = raw().read(0, 0, TIMEOUT).meta();
        raw().writeMeta(moved, meta().replace("state=moved", "state=retired"), TIMEOUT);
        Path record = RecordFile.of(target.resolve(namespace));
        Files.writeString(record, Files.readString(record).replace("state=active", "state=reserved"));
        String[] asking = moveTo(target);
        asking[asking.length - 1] = "--verbose";
        Reader afterAnEdit = new StringReader(namespace + "\n") {
            @Override
            public int read(char[] buffer, int offset, int length) throws IOException {
                Files.writeString(record, Files.readString(record).replace("sequence-bits=12", "sequence-bits=13"));
                return super.read(buffer, offset, length);
            }
        };

        Session session = Session.run(Map.of(), afterAnEdit, asking);

        assertThat(session.exitCode()).as(session.all()).isEqualTo(OperatorCommand.UNFINISHED);
        assertThat(session.err()).contains("was created with", "is, or may be, retired", "Do the same again.");
    }

    // an application with a longer window, or a larger skew, may still issue what the floor does not cover
    @Test
    void restoreSaysWhichWindowsItAssumes() throws IOException {
        Session lost = Session.run(
                Map.of(),
                "no\n",
                inMemory(
                        "restore",
                        "-Dsnowflake.window=PT90S",
                        "-Dsnowflake.clock.max-skew=PT7S",
                        "--accept",
                        "lost-record"));
        generator().close();
        Session there = Session.run(Map.of(), "no\n", inMemory("restore", "-Dsnowflake.window=PT30S"));

        assertThat(lost.out())
                .containsSubsequence(
                        "Windows of up to PT1M30S",
                        "snowflake.clock.max-skew=PT7S",
                        "set snowflake.window to the longest window of any application of this namespace",
                        "and snowflake.clock.max-skew to the largest",
                        "Go on?");
        assertThat(there.out())
                .containsSubsequence(
                        "Windows of up to PT1M", "snowflake.clock.max-skew=PT10S", "set snowflake.window", "Go on?");
    }

    // a script or a shell's history did it: each time the ids of all processes stopped for two minutes
    @Test
    void aRestoreThatIsRepeatedDoesNotReplaceWhatItRestored() {
        String[] restore =
                inMemory("restore", "--yes", "--namespace", namespace, "--accept", "lost-record,far-ahead-marks");
        String[] first = inMemory("restore", "--yes", "--namespace", namespace, "--accept", "lost-record");
        Session done = Session.run(first);
        String meta = meta();
        String id = meta.replaceAll("^.*\\bid=(\\S+).*$", "$1");

        Session again = Session.run(first);
        Session both = Session.run(restore);

        assertThat(done.exitCode()).as(done.all()).isZero();
        assertThat(List.of(again.exitCode(), both.exitCode())).containsOnly(OperatorCommand.FAILED);
        assertThat(again.err())
                .contains(
                        "Refused, nothing was changed. There is nothing that --accept lost-record",
                        "active, id " + id,
                        "it replaces id ",
                        "its floor is ");
        assertThat(meta()).isEqualTo(meta);
    }

    @Test
    void aRestoreThatWasInterruptedIsFinishedByTheSameCommand() {
        String[] restore = inMemory("restore", "--yes", "--namespace", namespace, "--accept", "lost-record");
        Session.run(restore);
        raw().writeMeta(raw().read(0, 0, TIMEOUT).meta(), meta().replace("state=active", "state=retired"), TIMEOUT);

        Session again = Session.run(restore);

        assertThat(again.exitCode()).as(again.all()).isZero();
        assertThat(meta()).contains("state=active");
    }

    @Test
    void theQuestionAndTheEndOfAMoveNameTheTarget() throws IOException {
        generator().close();
        Path ids = folder.resolve("ids");
        String[] move = inMemory(
                "move",
                "--to",
                "snowflake.coordinator=file",
                "--to",
                "snowflake.file.directory=" + ids,
                "--to",
                "snowflake.namespace=ordres");

        Session session = Session.run(Map.of(), namespace + "\n", move);

        assertThat(session.exitCode()).as(session.all()).isZero();
        String target = "ordres at file (" + ids + ")";
        assertThat(session.out().lines().filter(line -> line.startsWith("Go on, ")))
                .singleElement()
                .asString()
                .contains("to " + target);
        String id = Files.readString(RecordFile.of(ids.resolve("ordres"))).replaceAll("(?s)^.*?\\bid=(\\S+).*$", "$1");
        assertThat(session.out().stripTrailing())
                .endsWith("Moved to " + target + ", id " + id + ": deploy exactly these settings.");
    }

    @Test
    void withoutAnySettingItIsSaidHowToGiveThem() {
        Session status = Session.run("status");
        Session serve = Session.run("serve", "-Dsnowflake.namespace=shop");

        assertThat(List.of(status.exitCode(), serve.exitCode())).containsOnly(OperatorCommand.WRONG_USE);
        assertThat(List.of(status.err(), serve.err()))
                .allSatisfy(said -> assertThat(said).contains("--settings", "-D", "environment"));
    }

    @Test
    void everyDoubtIsNamedInTheHelp() {
        for (NamespaceDoubt doubt : NamespaceDoubt.values()) {
            assertThat(Session.run("restore", "--help").out().replaceAll("\\s+", " "))
                    .contains(DoubtName.of(doubt));
        }
    }

    @Test
    void coordinatorIsTheOneWhoseKeysAreSetInTheFirstSourceThatHasAny() throws IOException {
        Path settings = folder.resolve("application.properties");
        Files.writeString(settings, "snowflake.file.directory=" + folder + "\n");
        Map<String, String> environment = Map.of("SNOWFLAKE_ETCD_ENDPOINTS", "http://127.0.0.1:1");

        Session byFile = Session.run(environment, "", "status", "--settings", settings.toString());
        Session byEnvironment = Session.run(Map.of("SNOWFLAKE_FILE_DIRECTORY", folder.toString()), "", "status");
        Session unclear = Session.run(
                "status", "-Dsnowflake.file.directory=" + folder, "-Dsnowflake.etcd.endpoints=http://127.0.0.1:1");
        Session restore = Session.run(environment, "", "restore", "--settings", settings.toString());
        Session typed = Session.run(environment, "", "status", "-Dsnowflake.file.directory=" + folder);

        assertThat(byFile.exitCode()).isZero();
        assertThat(byFile.out()).contains("snowflake at file (" + folder + ")");
        assertThat(byFile.err())
                .contains(
                        settings + " has settings of the coordinator file",
                        "SNOWFLAKE_ETCD_ENDPOINTS is of another",
                        "-Dsnowflake.coordinator=");
        assertThat(restore.exitCode()).isEqualTo(2);
        assertThat(restore.err()).contains(byFile.err().strip());
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.err()).isEmpty();
        assertThat(byEnvironment.exitCode()).isZero();
        assertThat(unclear.exitCode()).isEqualTo(2);
        assertThat(unclear.err()).contains("several coordinators are on the class path: consul, etcd, file");
    }

    @Test
    void wrongUseChangesNothingAndIsExplained() throws IOException {
        Path expression = folder.resolve("expression.properties");
        Files.writeString(expression, "snowflake.etcd.endpoints=${etcd}\n");

        assertThat(Session.run(inMemory("restore", "-Dsnowflake.windoww=PT3S")).err())
                .contains("snowflake.windoww", "Misspelt?");
        assertThat(Session.run(inMemory("restore", "-Dwindow=PT3S")).err()).contains("begin with snowflake.");
        assertThat(Session.run(inMemory("restore", "-Dsnowflake.window=1")).err())
                .contains("ISO-8601");
        assertThat(Session.run("status", "--settings", expression.toString()).err())
                .contains("holds an expression");
        assertThat(Session.run("status", "--settings", folder.resolve("none").toString())
                        .exitCode())
                .isEqualTo(2);
        assertThat(Session.run("move", "--from", "snowflake.coordinator=memory").exitCode())
                .isEqualTo(2);
        assertThat(Session.run("restore", "--accept", "anything").exitCode()).isEqualTo(2);
        assertThat(Session.run("--help").out()).contains("status", "restore", "move", "Exit codes", "130 ");
        assertThat(meta()).isEmpty();
    }

    @Test
    void unreachableCoordinatorIsSaidWithoutSecrets() {
        Session session = Session.run(
                "status",
                "-Dsnowflake.etcd.endpoints=http://127.0.0.1:1",
                "-Dsnowflake.etcd.user=app",
                "-Dsnowflake.etcd.password=hunter2");
        Session wrong = Session.run("status", "-Dsnowflake.etcd.password=hunter2", "-Dsnowflake.etcd.endpoints=//");

        assertThat(session.exitCode()).isEqualTo(1);
        assertThat(session.err()).contains("127.0.0.1:1").doesNotContain("\tat ");
        assertThat(session.all() + wrong.all()).doesNotContain("hunter2");
        assertThat(wrong.exitCode()).isEqualTo(2);
    }

    /** Who may write into the coordinator must not write on the operator's terminal. */
    @Test
    void whatATerminalWouldObeyIsShownAsItIs() {
        generator().close();
        String movedTo = "etcd:\u001b[2J\u009b31msnowflake\u0007";
        String record = meta().replace("state=active", "state=retired moved-to=" + movedTo + " successor=\u001b]0;x");
        assertThat(raw().writeMeta(raw().read(0, 0, TIMEOUT).meta(), record, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);

        Session status = Session.run(inMemory("status"));
        Session json = Session.run(inMemory("status", "--json"));
        Session restore = Session.run(inMemory("restore", "--yes", "--namespace", namespace));

        assertThat(List.of(status.all(), json.all(), restore.all())).allSatisfy(said -> assertThat(
                        said.chars().filter(Character::isISOControl).filter(each -> each != '\n'))
                .isEmpty());
        assertThat(status.out()).contains("moving to etcd:\\u001b[2J\\u009b31msnowflake\\u0007");
        assertThat(JsonParser.parseString(json.out())
                        .getAsJsonObject()
                        .get("movedTo")
                        .getAsString())
                .isEqualTo(movedTo);
        assertThat(restore.err()).contains("add --accept lost-successor=\\u001b]0;x");
    }

    @Test
    void secretsThatAreTypedAreWarnedOfOnce() {
        String[] typed = {
            "status",
            "-Dsnowflake.etcd.endpoints=http://127.0.0.1:1",
            "-Dsnowflake.etcd.user=app",
            "-Dsnowflake.etcd.password=hunter2"
        };

        Session status = Session.run(typed);
        Session byEnvironment =
                Session.run(Map.of("SNOWFLAKE_ETCD_PASSWORD", "hunter2"), "", Arrays.copyOf(typed, typed.length - 1));
        Session move = Session.run(
                "move",
                "--from",
                "snowflake.etcd.endpoints=http://127.0.0.1:1",
                "--to",
                "snowflake.etcd.endpoints=http://127.0.0.1:2",
                "-Dsnowflake.etcd.user=app",
                "-Dsnowflake.etcd.password=hunter2");

        String warning = "snowflake.etcd.password is typed: other users of this machine may see it";
        assertThat(List.of(status.err(), move.err()))
                .allSatisfy(said -> assertThat(said).containsOnlyOnce(warning).doesNotContain("hunter2"));
        assertThat(byEnvironment.err()).doesNotContain("is typed");
    }

    // the second reading of the pipe waited for ever, or found nothing
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void bothEndsOfAMoveTakeTheSettingsOfOnePipe() throws Exception {
        Path ids = folder.resolve("ids");
        LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                        "snowflake.coordinator",
                        "file",
                        "snowflake.file.directory",
                        ids.toString(),
                        "snowflake.namespace",
                        "old")))
                .close();
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process writer = new ProcessBuilder("sh", "-c", "echo snowflake.file.directory=" + ids + " > " + pipe).start();

        Session move = Session.run(
                "move",
                "--settings",
                pipe.toString(),
                "--from",
                "snowflake.namespace=old",
                "--to",
                "snowflake.namespace=new");

        assertThat(writer.waitFor()).isZero();
        assertThat(move.out()).contains("Go on, and move it to new at file");
    }

    // it was shown nowhere, and stayed in the shell's history
    @Test
    void warnsOfAPasswordInATypedUrl() {
        Session status = Session.run(
                "status", "-Dsnowflake.jdbc.url=jdbc:postgresql://127.0.0.1:1/ids?user=ids&password=hunter2");
        Session without = Session.run("status", "-Dsnowflake.jdbc.url=jdbc:postgresql://127.0.0.1:1/ids?user=ids");

        assertThat(status.err())
                .containsOnlyOnce("snowflake.jdbc.url holds a password: other users of this machine may see it")
                .doesNotContain("hunter2");
        assertThat(without.err()).doesNotContain("holds a password");
    }

    // the advice was to type it
    @Test
    void noAdviceIsToTypeASecret() throws IOException {
        Path settings = folder.resolve("application.properties");
        Files.writeString(settings, """
                snowflake.etcd.endpoints=http://127.0.0.1:1
                snowflake.etcd.user=app
                snowflake.etcd.password=${password}
                """);
        Session expression = Session.run("restore", "--settings", settings.toString());
        Files.writeString(settings, Files.readString(settings).replace("${password}", "hunter1"));
        Session contradiction = Session.run(
                Map.of("SNOWFLAKE_ETCD_PASSWORD", "hunter2"), "", "restore", "--settings", settings.toString());

        assertThat(List.of(expression.exitCode(), contradiction.exitCode())).containsOnly(2);
        assertThat(expression.err())
                .contains("snowflake.etcd.password in " + settings + " holds an expression", "small file");
        assertThat(contradiction.err()).contains("SNOWFLAKE_ETCD_PASSWORD differ", "Unset the variable");
        assertThat(expression.err() + contradiction.err()).doesNotContain("-Dsnowflake.etcd.password", "hunter");
    }

    // the runbook's one command restored one namespace, said to start the application, and that created the others anew
    @Test
    void restoreAndMoveSayThatEachGeneratorHasANamespaceOfItsOwn() throws IOException {
        generator().close();
        Path settings = Files.writeString(
                folder.resolve("application.properties"),
                "snowflake.generators.orders.window=PT60S\nsnowflake.claim-at-start=bills, default\n");

        Session restore =
                Session.run(Map.of(), namespace + "\n", inMemory("restore", "--settings", settings.toString()));
        Session unnamed = Session.run(Map.of(), "no\n", inMemory("restore"));
        Session move = Session.run(moveTo(folder.resolve("ids"), "--settings", settings.toString()));
        Session ofOrders = Session.run(
                Map.of(),
                "no\n",
                inMemory(
                        "restore",
                        "--settings",
                        settings.toString(),
                        "--generator",
                        "orders",
                        "--accept",
                        "lost-record"));

        String known =
                "the generator 'default' alone. Each other generator of the application has its own: bills, orders."
                        + " Run this for each of them, with --generator NAME, before the application starts.";
        String end = "Start the application once this is done for each of its generators";
        assertThat(restore.out()).containsSubsequence(known, "Go on?", "Restored.", end);
        assertThat(move.out()).containsSubsequence(known, "Moved.", end);
        assertThat(unnamed.out()).containsSubsequence("has its own, if there are others.", "Go on?");
        assertThat(ofOrders.out()).contains("the generator 'orders' alone", "has its own: bills, default.");
    }

    @Test
    void namespaceOfANamedGenerator() {
        Session session = Session.run(inMemory("status", "--generator", "orders"));

        assertThat(session.out()).contains("namespace    " + namespace + "/orders at memory");
    }
}
