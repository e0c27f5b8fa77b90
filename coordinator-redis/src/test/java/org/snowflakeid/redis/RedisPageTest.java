// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.testservers.RedisServer;

/** What the page tells to type is typed, on a server with the usual settings, and what it quotes is said. */
class RedisPageTest {
    private static final Path PAGE = Path.of("../docs/coordinator-redis.md");

    /** What differs from message to message. */
    private static final Pattern VARIABLE = Pattern.compile("…|(user )?'[a-z]+'|\\(1\\)|\\d+|: [A-Z]+ ");

    @TempDir
    private Path folder;

    private static List<String> blocks(String page) {
        return Pattern.compile("^```sh\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    private String type(RedisServer server, String commands) throws IOException, InterruptedException {
        Path command = Files.writeString(
                folder.resolve("redis-cli"),
                "#!/usr/bin/env bash\nPATH=${PATH#*:} exec redis-cli -e -p " + server.clientPort() + " \"$@\"\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
        Path out = folder.resolve("out");
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-u", "-c", commands)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().merge("PATH", folder.toString(), (path, first) -> first + ":" + path);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(out)).isZero();
        return Files.readString(out);
    }

    @Test
    void itsCommandsMakeAServerReadyAndShowWhatIsThere() throws Exception {
        List<String> blocks = blocks(Files.readString(PAGE));
        assertThat(blocks).hasSize(3);
        try (RedisServer usual = RedisServer.builder()
                .arguments("--appendonly", "no", "--appendfsync", "everysec", "--maxmemory-policy", "allkeys-lru")
                .start()) {
            assertThat(type(usual, blocks.get(0))).isEqualTo("OK\nOK\nOK\nOK\n");
            assertThat(type(usual, blocks.get(1))).isEqualTo("OK\n");

            Map<String, String> keys = Map.of(
                    "snowflake.redis.uri", usual.uri(),
                    "snowflake.redis.user", "app",
                    "snowflake.redis.password", "hunter2",
                    "snowflake.worker-ids", "0");
            LeasedSnowflake.open(SnowflakeSettings.of(keys)).close();

            assertThat(type(usual, blocks.get(2)))
                    .contains("snowflake/meta\n", "snowflake/marks/0\n", "state=active", "limit=");
        }
    }

    @Test
    void itsMessagesAreInTheCode() throws IOException {
        StringBuilder code = new StringBuilder();
        for (String type : List.of("RedisFailure", "ServerCheck")) {
            code.append(Files.readString(Path.of("src/main/java/org/snowflakeid/redis/" + type + ".java")));
        }
        for (String type : List.of("Handshakes", "Durability")) {
            code.append(Files.readString(
                    Path.of("../coordinator-support/src/main/java/org/snowflakeid/support/" + type + ".java")));
        }
        String said = code.toString().replaceAll("\"\\s*\\+\\s*\"", "");
        String page = Files.readString(PAGE);
        List<String> unknown = new ArrayList<>();
        int quoted = 0;
        for (String row : page.substring(page.indexOf("## Messages"))
                .lines()
                .filter(line -> line.startsWith("| `") || line.startsWith("| WARNING `"))
                .toList()) {
            for (MatchResult quote : Pattern.compile("`([^`]+)`")
                    .matcher(row.substring(0, row.indexOf(" |", 2)))
                    .results()
                    .toList()) {
                quoted++;
                for (String part : VARIABLE.split(quote.group(1), -1)) {
                    if (!said.contains(part.strip())) {
                        unknown.add(part);
                    }
                }
            }
        }

        assertThat(quoted).isGreaterThan(20);
        assertThat(unknown).isEmpty();
    }
}
