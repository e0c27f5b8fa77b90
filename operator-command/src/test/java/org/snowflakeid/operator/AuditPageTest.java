// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.operator.audit.IdLayout;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.PostgresServer;

/** The page about the audit: its commands are typed on a real server, its tables are those of the code. */
class AuditPageTest {
    private static final String ON_THE_PAGE = "jdbc:postgresql://db-1/shop";

    private static PostgresServer postgres;

    private final CommandPage page = new CommandPage("audit.md");

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.builder()
                .access("host all reader 127.0.0.1/32 scram-sha-256")
                .start();
        // Made now: nothing is ahead, and nothing else is wrong.
        postgres.sql("CREATE SCHEMA shop; CREATE TABLE shop.orders (id bigint PRIMARY KEY);"
                + " INSERT INTO shop.orders SELECT (((extract(epoch FROM now()) * 1000)::bigint - 1577836800000 - n) << 22)"
                + " + (n % 5 << 12) + n % 4093 FROM generate_series(1, 20000) n;"
                + " CREATE ROLE reader LOGIN PASSWORD 'hunter2'; GRANT USAGE ON SCHEMA shop TO reader;"
                + " GRANT SELECT ON shop.orders TO reader");
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    @Test
    void itsCommandsRunAsTheReader(@TempDir Path folder) throws IOException {
        Shell shell = new Shell(folder, Map.of());
        Files.writeString(folder.resolve("password"), "hunter2\n");
        List<CommandPage.Block> blocks = page.commands("Check the ids you have", "");

        assertThat(blocks).hasSize(1);
        for (String command : blocks.get(0).commands().lines().toList()) {
            assertThat(command).contains(ON_THE_PAGE);

            String printed = shell.type(command.replace(ON_THE_PAGE, postgres.anonymousUrl(postgres.clientPort())));

            assertThat(printed).contains("shop.orders").doesNotContain("hunter2", "FOUND");
            assertThat(printed).containsAnyOf("No fault was found.", "\"faults\":0");
        }
    }

    @Test
    void itsLayoutsAreThoseOfTheCode() {
        String section = section("Layouts of generators");
        for (IdLayout layout : IdLayout.known().values()) {
            String row = section.lines()
                    .filter(line -> line.startsWith("| `") && line.contains("`" + layout.name() + "`"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(layout.name()));
            assertThat(row)
                    .contains(layout.epoch().toString())
                    .contains(Integer.toString(layout.timestamp().count()))
                    .contains(Integer.toString(layout.workerId().count()))
                    .contains(Integer.toString(layout.sequence().count()));
        }
        List<MatchResult> examples = Pattern.compile("`(\\d{4}-[^`]+,[^`]+)`")
                .matcher(section)
                .results()
                .toList();
        assertThat(examples).isNotEmpty().allSatisfy(example -> assertThat(IdLayout.parse(example.group(1)))
                .isNotNull());
    }

    @Test
    void itsFindingsAreThoseOfTheCommand() {
        Session session = Session.run("audit", "--url", postgres.url(), "--table", "shop.orders", "--json");

        List<String> names = Pattern.compile("\"name\":\"([a-z-]+)\",\"result\"")
                .matcher(session.out())
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(section("What it finds")
                        .lines()
                        .filter(line -> line.startsWith("| `"))
                        .map(line -> line.replaceFirst("\\| `([^`]+)`.*", "$1")))
                .containsExactlyInAnyOrderElementsOf(names);
    }

    private String section(String heading) {
        String after = page.text().substring(page.text().indexOf("## " + heading));
        return after.substring(0, after.indexOf("\n## "));
    }

    /** SIGTERM, which runs what Ctrl-C runs: a process that was started in the background ignores SIGINT. */
    @Test
    void aSignalEndsItAndItsStatement(@TempDir Path folder) throws IOException, InterruptedException {
        postgres.sql("CREATE VIEW slow AS SELECT id FROM shop.orders, pg_sleep(600)");
        Path err = folder.resolve("err");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        OperatorCommand.class.getName(),
                        "audit",
                        "--url",
                        postgres.url(),
                        "--table",
                        "slow")
                .redirectError(err.toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .start();
        try {
            Node.await(Node.PATIENCE, () -> {
                assertThat(process.isAlive()).isTrue();
                return !sleeping().startsWith("0");
            });

            process.destroy();

            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(128 + 15);
            assertThat(err).content().contains("Stopped after 0 rows. Nothing was changed.");
            assertThat(folder.resolve("out")).isEmptyFile();
            assertThat(sleeping()).startsWith("0");
        } finally {
            process.destroyForcibly();
        }
    }

    private static String sleeping() {
        return postgres.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%\"slow\"%'"
                + " AND pid <> pg_backend_pid()");
    }
}
