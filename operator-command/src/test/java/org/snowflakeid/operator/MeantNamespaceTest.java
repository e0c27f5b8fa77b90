// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;

/** At 3 a.m. a file name is mistyped, or a profile is forgotten: no other namespace than the one that is meant is written. */
class MeantNamespaceTest {

    @TempDir
    private Path folder;

    @BeforeEach
    void namespacesOfThisTest() {
        namespace("snowflake");
        namespace("orders");
    }

    private void namespace(String name) {
        LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                        "snowflake.coordinator",
                        "file",
                        "snowflake.file.directory",
                        ids().toString(),
                        "snowflake.namespace",
                        name)))
                .close();
    }

    private Path ids() {
        return folder.resolve("ids");
    }

    private String records() throws IOException {
        return record("snowflake") + record("orders");
    }

    private String record(String namespace) throws IOException {
        return Files.readString(RecordFile.of(ids().resolve(namespace)));
    }

    private String file(String name, String... lines) throws IOException {
        return Files.write(folder.resolve(name), List.of(lines)).toString();
    }

    private String directory() {
        return "snowflake.file.directory=" + ids();
    }

    private Session restore(String typed, String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "restore";
        all[1] = "-D" + directory();
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return Session.run(Map.of(), typed, all);
    }

    @Test
    void yesWithoutTheNameIsRefused() throws IOException {
        String records = records();

        Session session = restore("", "--yes");

        assertThat(session.exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
        assertThat(session.err()).contains("--yes without the name of the namespace", "--namespace snowflake");
        assertThat(records()).isEqualTo(records);
    }

    @Test
    void aNameThatIsNotThatOfTheSettingsIsRefused() throws IOException {
        String records = records();

        Session confirmed = restore("", "--yes", "--namespace", "orders");
        Session asked = restore("orders\n", "--namespace", "orders");
        Session moved = Session.run(
                "move", "--from", directory(), "--to", directory() + "-2", "--yes", "--namespace", "orders");

        assertThat(List.of(confirmed.exitCode(), asked.exitCode(), moved.exitCode()))
                .containsOnly(OperatorCommand.WRONG_USE);
        assertThat(List.of(confirmed.err(), asked.err(), moved.err()))
                .allMatch(text -> text.contains("--namespace=orders, but the settings name the namespace 'snowflake'"));
        assertThat(records()).isEqualTo(records);
    }

    @Test
    void theNameHasToBeTyped() throws IOException {
        String records = records();

        Session yes = restore("yes\n");
        Session other = restore("orders\n");
        Session nothing = restore("");
        assertThat(List.of(yes.exitCode(), other.exitCode(), nothing.exitCode()))
                .containsOnly(OperatorCommand.NOT_CONFIRMED);
        assertThat(yes.out()).endsWith("Type the name of the namespace: ");
        assertThat(yes.err()).contains("nothing was changed", "the name is snowflake", "--namespace");
        assertThat(records()).isEqualTo(records);

        Session named = restore("snowflake\n");
        assertThat(named.exitCode()).as(named.all()).isZero();
        assertThat(record("snowflake")).contains("replaces=");
    }

    @Test
    void aNamespaceThatIsNotThereIsNotCreated() {
        Session session = restore("snowflak\n", "-Dsnowflake.namespace=snowflak");
        Session confirmed = restore("", "-Dsnowflake.namespace=snowflak", "--yes", "--namespace", "snowflak");

        assertThat(List.of(session.exitCode(), confirmed.exitCode())).containsOnly(OperatorCommand.FAILED);
        assertThat(session.out()).doesNotContain("The record is lost", "Type the name");
        assertThat(session.err()).contains("There is no namespace snowflak at file", "no record and no marks");
        assertThat(ids().resolve("snowflak").resolve("meta")).doesNotExist();
    }

    @Test
    void aNamespaceWhoseCoordinatorLostEverythingIsRestoredIfThatIsAcceptedAndItsNameTyped() throws IOException {
        Session session = restore("lost\n", "-Dsnowflake.namespace=lost", "--accept", "lost-record");

        assertThat(session.exitCode()).as(session.all()).isZero();
        assertThat(record("lost")).contains("state=active");
    }

    @Test
    void keysOfAProfileAreNotPassedOver() throws IOException {
        String records = records();
        String settings = file("a.properties", "%prod.snowflake.namespace=orders", directory());

        Session restore = Session.run(Map.of(), "snowflake\n", "restore", "--settings", settings);
        Session move = Session.run(Map.of(), "snowflake\n", "move", "--from", settings, "--to", directory() + "-2");
        Session status = Session.run("status", "--settings", settings);
        Session byEnvironment = Session.run(
                Map.of("_PROD_SNOWFLAKE_NAMESPACE", "orders"), "snowflake\n", "restore", "-D" + directory());

        for (Session session : List.of(restore, move, status, byEnvironment)) {
            assertThat(session.exitCode()).as(session.all()).isEqualTo(OperatorCommand.WRONG_USE);
            assertThat(session.err()).contains("it isn't said which profile", "--profile prod", "--profile none");
        }
        assertThat(restore.err()).contains("%prod.snowflake.namespace in " + settings);
        assertThat(records()).isEqualTo(records);
    }

    @Test
    void keysOfTheProfileGoBeforeOthersOfTheirSourceOnly() throws IOException {
        String settings = file(
                "a.properties",
                "%prod.snowflake.namespace=orders",
                "%dev.snowflake.namespace=play",
                "%dev.quarkus.http.port=1",
                "snowflake.namespace=snowflake",
                directory());

        assertThat(namespaceOf("--profile", "prod", "--settings", settings)).isEqualTo("orders");
        assertThat(namespaceOf("--profile", "dev", "--settings", settings)).isEqualTo("play");
        assertThat(namespaceOf("--profile", "none", "--settings", settings)).isEqualTo("snowflake");
        assertThat(namespaceOf("--profile", "prod", "-Dsnowflake.namespace=typed", "--settings", settings))
                .isEqualTo("typed");
        String first = file("b.properties", "snowflake.namespace=first");
        assertThat(namespaceOf("--profile", "prod", "--settings", first, "--settings", settings))
                .isEqualTo("first");
        assertThat(Session.run("status", "--profile", "prdo", "--settings", settings)
                        .out())
                .contains("profile      prdo, for which no key is set; keys of others are left out: dev, prod");
    }

    @Test
    void theFileOfTheProfileGoesBeforeTheOneBesideIt() throws IOException {
        String ofProfile = file("a-prod.properties", "snowflake.namespace=orders");
        String settings = file("a.properties", "snowflake.namespace=snowflake", directory());

        assertThat(namespaceOf("--profile", "prod", "--settings", settings)).isEqualTo("orders");
        assertThat(namespaceOf("--profile", "none", "--settings", settings)).isEqualTo("snowflake");
        assertThat(namespaceOf("--settings", ofProfile, "--settings", settings)).isEqualTo("orders");
    }

    // the application runs with the profile whose file lies there: another namespace was restored than its own
    @Test
    void filesOfProfilesAreNotPassedOver() throws IOException {
        String records = records();
        file("a-prod.properties", "snowflake.namespace=orders");
        file("a-test.properties", "quarkus.http.port=1");
        String settings = file("a.properties", directory());

        Session restore = Session.run(Map.of(), "snowflake\n", "restore", "--settings", settings);
        Session move = Session.run(Map.of(), "snowflake\n", "move", "--from", settings, "--to", directory() + "-2");
        Session status = Session.run("status", "--settings", settings);

        for (Session session : List.of(restore, move, status)) {
            assertThat(session.exitCode()).as(session.all()).isEqualTo(OperatorCommand.WRONG_USE);
            assertThat(session.err())
                    .contains("a-prod.properties", "it isn't said which profile", "--profile prod", "--profile none")
                    .doesNotContain("a-test");
        }
        assertThat(records()).isEqualTo(records);
    }

    @Test
    void aProfileForWhichNoKeyIsSetIsNotWrittenFor() throws IOException {
        String records = records();
        String keys = file("a.properties", "%prod.snowflake.namespace=orders", directory());
        file("b-prod.properties", "snowflake.namespace=orders");
        String besides = file("b.properties", directory());

        for (String settings : List.of(keys, besides)) {
            for (String profile : List.of("prdo", "prod,eu")) {
                Session restore =
                        Session.run(Map.of(), "snowflake\n", "restore", "--profile", profile, "--settings", settings);
                Session move = Session.run(
                        Map.of(),
                        "snowflake\n",
                        "move",
                        "--profile",
                        profile,
                        "--settings",
                        settings,
                        "--to",
                        directory() + "-2");
                assertThat(List.of(restore.exitCode(), move.exitCode())).containsOnly(OperatorCommand.WRONG_USE);
                assertThat(List.of(restore.err(), move.err())).allSatisfy(said -> assertThat(said)
                        .contains("--profile " + profile + ": no key is set for it", "prod", "--profile none"));
            }
        }
        assertThat(records()).isEqualTo(records);
        Session none = Session.run(Map.of(), "no\n", "restore", "--profile", "none", "--settings", keys);
        assertThat(none.exitCode()).as(none.all()).isEqualTo(OperatorCommand.NOT_CONFIRMED);
    }

    // the last of the documents was taken, whatever its profile
    @Test
    void documentsOfSpringThatHoldForProfilesAreRefused() throws IOException {
        String records = records();
        for (String separator : List.of("#---", "!---")) {
            for (String condition : List.of("spring.config.activate.on-profile", "spring.profiles")) {
                String settings = file(
                        "application.properties",
                        directory(),
                        "snowflake.namespace=snowflake",
                        separator,
                        condition + "=test",
                        "snowflake.namespace=orders");

                Session restore = Session.run(Map.of(), "orders\n", "restore", "--settings", settings);

                assertThat(restore.exitCode()).as(restore.all()).isEqualTo(OperatorCommand.WRONG_USE);
                assertThat(restore.err()).contains(settings, condition, "a small file");
            }
        }
        assertThat(records()).isEqualTo(records);
        String ofOthers = file(
                "application.properties",
                directory(),
                "#---",
                "spring.config.activate.on-profile=test",
                "server.port=1",
                "#---",
                "snowflake.namespace=orders");
        assertThat(namespaceOf("--settings", ofOthers)).isEqualTo("orders");
    }

    // the application takes that of the environment
    @Test
    void aKeyThatHasAnotherValueInTheEnvironmentIsNotWrittenFor() throws IOException {
        String records = records();
        Map<String, String> environment = Map.of("SNOWFLAKE_NAMESPACE", "orders");
        String settings = file("a.properties", directory(), "snowflake.namespace=snowflake");

        Session restore = Session.run(environment, "snowflake\n", "restore", "--settings", settings);
        Session move = Session.run(environment, "snowflake\n", "move", "--from", settings, "--to", directory() + "-2");
        Session status = Session.run(environment, "", "status", "--settings", settings);

        assertThat(List.of(restore.exitCode(), move.exitCode())).containsOnly(OperatorCommand.WRONG_USE);
        assertThat(restore.err())
                .contains("snowflake.namespace", settings, "SNOWFLAKE_NAMESPACE", "-Dsnowflake.namespace=")
                .doesNotContain("orders");
        assertThat(move.err()).contains("--from snowflake.namespace=");
        assertThat(records()).isEqualTo(records);
        assertThat(status.exitCode()).isZero();
        assertThat(status.err().lines()).singleElement().asString().contains("SNOWFLAKE_NAMESPACE", settings);
        assertThat(Session.run(environment, "no\n", "restore", "--settings", settings, "-Dsnowflake.namespace=orders")
                        .exitCode())
                .isEqualTo(OperatorCommand.NOT_CONFIRMED);
        assertThat(Session.run(Map.of("SNOWFLAKE_NAMESPACE", "snowflake"), "no\n", "restore", "--settings", settings)
                        .exitCode())
                .isEqualTo(OperatorCommand.NOT_CONFIRMED);
    }

    // the value that was typed as the refusal said lost against the file, and "${...}" was taken for a password
    @Test
    void anExpressionInAFileOfOneEndOfAMoveIsRefusedEvenIfItIsTypedForBoth() throws IOException {
        String to = file("to.properties", "snowflake.namespace=${name}", directory() + "-2");
        String[] move = {"move", "--from", directory(), "--to", to};

        Session refused = Session.run(Map.of(), "snowflake\n", move);
        Session forBoth = Session.run(
                Map.of(),
                "snowflake\n",
                "move",
                "--from",
                directory(),
                "--from",
                "snowflake.namespace=snowflake",
                "--to",
                to,
                "-Dsnowflake.namespace=shop");
        Session typed = Session.run(
                Map.of(), "no\n", "move", "--from", directory(), "--to", to, "--to", "snowflake.namespace=shop");

        for (Session session : List.of(refused, forBoth)) {
            assertThat(session.exitCode()).as(session.all()).isEqualTo(OperatorCommand.WRONG_USE);
            assertThat(session.err()).contains("holds an expression", "--to snowflake.namespace=");
        }
        assertThat(typed.exitCode()).as(typed.all()).isEqualTo(OperatorCommand.NOT_CONFIRMED);
        assertThat(typed.out()).contains("namespace    shop at file");
    }

    @Test
    void environmentVariablesOfTheProfileGoBeforeOthers() {
        Map<String, String> environment = Map.of(
                "_PROD_SNOWFLAKE_NAMESPACE",
                "orders",
                "SNOWFLAKE_NAMESPACE",
                "snowflake",
                "SNOWFLAKE_FILE_DIRECTORY",
                ids().toString());

        assertThat(Session.run(environment, "", "status", "--profile", "prod").out())
                .contains("namespace    orders at file");
        assertThat(Session.run(environment, "", "status", "--profile", "none").out())
                .contains("namespace    snowflake at file");
    }

    private static String namespaceOf(String... options) {
        String[] all = new String[options.length + 1];
        all[0] = "status";
        System.arraycopy(options, 0, all, 1, options.length);
        Session session = Session.run(all);
        assertThat(session.exitCode()).as(session.all()).isZero();
        return session.out().replaceFirst("(?s)namespace +(\\S+) at .*", "$1");
    }

    @Test
    void aMisspeltKeyOfTheProfileIsRefused() throws IOException {
        String settings = file("a.properties", "%prod.snowflake.namespaces=orders", directory());

        Session session = Session.run("status", "--profile", "prod", "--settings", settings);

        assertThat(session.exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
        assertThat(session.err()).contains("The nearest is snowflake.namespace.");
    }

    @Test
    void aSettingsFileThatIsNotThereOrHoldsNothingIsRefused() throws IOException {
        Map<String, String> environment = Map.of("SNOWFLAKE_FILE_DIRECTORY", ids().toString());
        String foreign = file("other.properties", "quarkus.http.port=8080");
        String yaml = file("application.yaml", "snowflake:", "  namespace: orders");
        String ofOther = file("c.properties", "%dev.snowflake.namespace=orders");

        Session none = Session.run(
                environment,
                "",
                "restore",
                "--settings",
                folder.resolve("aplication.properties").toString());
        Session empty = Session.run(environment, "", "restore", "--settings", foreign);
        Session notProperties = Session.run(environment, "", "restore", "--settings", yaml);
        Session otherProfile = Session.run(environment, "", "restore", "--profile", "prod", "--settings", ofOther);

        for (Session session : List.of(none, empty, notProperties, otherProfile)) {
            assertThat(session.exitCode()).as(session.all()).isEqualTo(OperatorCommand.WRONG_USE);
        }
        assertThat(none.err()).contains("There is no file", "aplication.properties", "Correct its name");
        assertThat(empty.err()).contains("no key below snowflake. in " + foreign, "Is it the properties file");
        assertThat(notProperties.err()).contains("no key below snowflake. in " + yaml);
        assertThat(otherProfile.err()).contains("that would be in force with this profile");
    }

    @Test
    void aTypedKeyNeedsNoProfile() {
        Session session = Session.run("status", "-D%prod.snowflake.namespace=orders", "-D" + directory());

        assertThat(session.exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
        assertThat(session.err()).contains("Type snowflake.namespace");
    }
}
