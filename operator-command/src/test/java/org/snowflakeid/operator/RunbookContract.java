// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.testservers.LogLines;

/**
 * Types what the pages tell operators to type, in the situation that the page is about, on a real server; afterwards the application
 * starts. Every block of commands on the pages has to be run by a test here.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RunbookContract {

    private static final CommandPage RUNBOOK = new CommandPage("runbook.md");
    private static final CommandPage COMMAND = new CommandPage("operator-command.md");
    private static final List<CommandPage> PAGES = List.of(
            RUNBOOK,
            COMMAND,
            new CommandPage("operations.md"),
            new CommandPage("restore-and-move.md"),
            new CommandPage("coordinator-etcd.md"),
            new CommandPage("coordinator-zookeeper.md"));

    private final String coordinator;
    private final Supplier<FragileCoordinator> starter;
    private final Set<String> typed = new ConcurrentSkipListSet<>();

    private final AtomicInteger ended = new AtomicInteger();

    @TempDir
    private Path folder;

    RunbookContract(String coordinator, Supplier<FragileCoordinator> starter) {
        this.coordinator = coordinator;
        this.starter = starter;
        LogLines.listen();
    }

    /** The application and its operator, on a server of their own. */
    final class Site implements AutoCloseable {
        final FragileCoordinator server;
        final Map<String, String> settings;
        final Shell shell;

        Site() {
            this(starter.get(), Map.of());
        }

        Site(FragileCoordinator server, Map<String, String> more) {
            this.server = server;
            Map<String, String> keys = new HashMap<>(server.settings());
            keys.putAll(Map.of("snowflake.window", "PT3S", "snowflake.clock.max-skew", "PT1S"));
            keys.putAll(more);
            this.settings = keys;
            Path directory = folder.resolve(UUID.randomUUID().toString());
            assertThat(directory.toFile().mkdir()).isTrue();
            this.shell = new Shell(directory, keys);
        }

        LeasedSnowflake open(String generator, Map<String, String> more) {
            Map<String, String> keys = new HashMap<>(settings);
            keys.put(
                    "snowflake.generators." + generator + ".namespace",
                    settings.getOrDefault("snowflake.namespace", "snowflake"));
            keys.putAll(more);
            return LeasedSnowflake.open(SnowflakeSettings.of(generator, keys::get));
        }

        /** Starts and ends once, so that there is a namespace. */
        void runOnce() {
            open("once", Map.of()).close();
        }

        String type(String section) {
            return RunbookContract.this.type(RUNBOOK, section, shell);
        }

        /** The application starts, and ids are greater than before. */
        void requireStartAbove(long before, Map<String, String> more) {
            try (LeasedSnowflake ids = open("after", more)) {
                assertThat(ids.nextId()).isGreaterThan(before);
            }
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private String type(CommandPage page, String section, Shell shell) {
        StringBuilder printed = new StringBuilder();
        for (CommandPage.Block block : page.commands(section, coordinator)) {
            printed.append(shell.type(block.commands()));
        }
        typed.add(page.name() + ": " + section);
        return printed.toString();
    }

    static void requireOnPage(String alarm) {
        assertThat(RUNBOOK.text()).contains(alarm);
    }

    /** A failing start says what the section is about. */
    private static String failureOf(Runnable start) {
        try {
            start.run();
        } catch (SnowflakeException e) {
            return String.valueOf(e.getMessage());
        }
        throw new AssertionError("started");
    }

    /**
     * On a machine that is held up, the last call of a start may not end, and the start reports that instead: then the next one reports
     * it.
     */
    private static void requireFailure(Runnable start, String message) {
        String failure = failureOf(start);
        for (int again = 0; again < 4 && !failure.contains(message); again++) {
            failure = failureOf(start);
        }
        assertThat(failure).contains(message);
    }

    @Test
    void firstLook() {
        try (Site site = new Site();
                LeasedSnowflake ids = site.open("first-look-" + coordinator, Map.of("snowflake.window", "PT60S"))) {
            assertThat(site.type("First look"))
                    .contains("record       active", "worker ids   1 held", "agrees")
                    .contains("extended: " + ids.status().workerId().orElseThrow());
            assertThat(site.type("The clock stepped")).contains("agrees");
            assertThat(site.type("No worker id is free")).contains("1 held", "{\"format\":1,");
            site.type("Extension failed");
        }
    }

    @Test
    void whenAllWorkerIdsAreHeld() {
        requireOnPage("still without a worker id: ");
        requireOnPage(" worker ids are held (one of them by host ");
        try (Site site = new Site();
                LeasedSnowflake ids = site.open(
                        "holder-" + coordinator, Map.of("snowflake.worker-ids", "0", "snowflake.window", "PT60S"))) {
            assertThat(ids.nextId()).isPositive();
            String generator = "waiting-" + coordinator;

            requireFailure(
                    () -> site.open(
                            generator, Map.of("snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT6S")),
                    "1 of 1 worker ids are held (one of them by host ");

            assertThat(LogLines.of(generator)).anyMatch(line -> line.contains("still without a worker id: "));
        }
    }

    @Test
    void whenTheRecordAndAllElseIsLost() {
        requireOnPage("does not exist, and snowflake.namespace-creation=require");
        requireOnPage("For `snowflake 'orders'` in the log add `--generator orders`.");
        requireOnPage("has a longer `snowflake.window` or a larger `snowflake.clock.max-skew`");
        requireOnPage("`snowflake.window` and `snowflake.clock.max-skew`. Put passwords into files of their own.");
        try (Site site = new Site()) {
            long before;
            try (LeasedSnowflake ids = site.open("lost-" + coordinator, Map.of())) {
                before = ids.nextId();
            }
            site.server.loseAllData();
            assertThat(failureOf(() -> site.open("refused", Map.of("snowflake.namespace-creation", "require"))))
                    .contains("does not exist, and snowflake.namespace-creation=require");

            String printed = afterALoss(site).type("Lost its record");

            assertThat(printed).contains("Restored. Its ids are dated");
            afterALoss(site).requireStartAbove(before, Map.of("snowflake.namespace-creation", "require"));
        }
    }

    /** Where the page tells how users are created again, the application has one. */
    Site afterALoss(Site site) {
        return site;
    }

    @Test
    void whenItWasReplacedByAnother() {
        requireOnPage("was replaced by another of the same name");
        requireOnPage("(first start). If it existed before, data was lost: stop");
        try (Site site = new Site()) {
            long before;
            try (LeasedSnowflake ids = site.open("replaced-" + coordinator, Map.of())) {
                before = ids.nextId();
            }
            site.server.loseAllData();
            site.runOnce();

            site.type("Replaced by another");

            site.requireStartAbove(before, Map.of("snowflake.namespace-creation", "require"));
        }
    }

    @Test
    void whenDataAreOlderThanTheyWere() {
        requireOnPage("shows for worker id 7 the mark '");
        requireOnPage("lost the mark of worker id 7");
        try (Site site = new Site();
                LeasedSnowflake ids = site.open("older-" + coordinator, Map.of("snowflake.worker-ids", "7"))) {
            long before = ids.nextId();
            site.server.delete("/snowflake/marks/7");
            Scene.await(Scene.PATIENCE, () -> LogLines.of("older-" + coordinator).stream()
                    .anyMatch(line -> line.contains("lost the mark of worker id 7")));

            site.type("The coordinator went back to old data");

            site.requireStartAbove(before, Map.of());
        }
    }

    @Test
    void whenMarksHaveNoRecord() {
        requireOnPage("has marks of worker ids but lost its record (meta)");
        try (Site site = new Site()) {
            site.runOnce();
            site.server.delete("/snowflake/meta");
            assertThat(failureOf(() -> site.open("refused", Map.of())))
                    .contains("has marks of worker ids but lost its record (meta)");

            site.type("Marks without a record");

            site.requireStartAbove(0, Map.of());
        }
    }

    @Test
    void whenTheRecordCannotBeRead() {
        requireOnPage("has an unreadable record '");
        try (Site site = new Site()) {
            site.runOnce();
            site.server.write("/snowflake/meta", "rubbish");
            assertThat(failureOf(() -> site.open("refused", Map.of()))).contains("has an unreadable record 'rubbish'");

            site.type("Unreadable record");

            site.requireStartAbove(0, Map.of());
        }
    }

    @Test
    void whenAllIsReservedFarAhead() {
        requireOnPage(" are reserved more than an hour ahead, by a process whose clock was wrong");
        requireOnPage("move the namespace to a layout with one more bit of worker ids");
        try (Site site = new Site()) {
            site.open("poisoned", Map.of("snowflake.worker-ids", "0")).close();
            String mark = site.server.read("/snowflake/marks/0");
            Instant epoch = Instant.parse("2020-01-01T00:00:00Z");
            long limit = Duration.between(epoch, Instant.now()).plusDays(365).toMillis();
            site.server.write("/snowflake/marks/0", mark.replaceFirst("^limit=\\d+", "limit=" + limit));
            requireFailure(
                    () -> site.open(
                            "refused", Map.of("snowflake.worker-ids", "0", "snowflake.startup-timeout", "PT6S")),
                    "1 are reserved more than an hour ahead, by a process whose clock was wrong (if all are: move the"
                            + " namespace to a layout with one more bit of worker ids");

            assertThat(site.type("Reserved far ahead")).contains("Moved. Its ids are dated");

            // Greater than every number that the mark allowed.
            site.requireStartAbove(
                    limit << 22,
                    Map.of("snowflake.generators.after.namespace", "snowflake-2", "snowflake.worker-id-bits", "11"));
        }
    }

    @Test
    void whenSomethingWasBegunAndNotFinished() {
        requireOnPage("run restore to finish it");
        requireOnPage("was retired: it is being restored");
        try (Site site = new Site()) {
            site.runOnce();
            String meta = site.server.read("/snowflake/meta");
            site.server.write("/snowflake/meta", meta.replace("state=active", "state=retired"));
            assertThat(failureOf(() -> site.open("refused", Map.of()))).contains("was retired: it is being restored");

            site.type("Begun and not finished");

            site.requireStartAbove(0, Map.of());
        }
    }

    @Test
    void theCommandsOfTheReference() {
        try (Site site = new Site()) {
            site.open("reference", Map.of("snowflake.worker-ids", "0")).close();
            type(COMMAND, "The six commands", site.shell);
            type(COMMAND, "Does my server keep its promises?", site.shell);
        }
    }

    @AfterEach
    void count() {
        ended.incrementAndGet();
    }

    @AfterAll
    void everyCommandOfThePagesWasTyped() {
        long tests = Stream.of(getClass().getDeclaredMethods(), RunbookContract.class.getDeclaredMethods())
                .flatMap(Stream::of)
                .filter(method -> method.isAnnotationPresent(Test.class))
                .count();
        if (ended.get() < tests) {
            // A developer runs a single one.
            return;
        }
        Set<String> all = new TreeSet<>();
        for (CommandPage page : PAGES) {
            page.sections().stream()
                    .filter(section -> !page.commands(section, coordinator).isEmpty())
                    .forEach(section -> all.add(page.name() + ": " + section));
        }
        assertThat(typed).containsAll(all);
    }

    /** For what the pages of one coordinator have. */
    String type(String page, String section, Shell shell) {
        return type(new CommandPage(page), section, shell);
    }
}
