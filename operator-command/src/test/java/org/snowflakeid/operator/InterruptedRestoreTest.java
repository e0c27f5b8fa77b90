// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.contentOf;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.PostgresServer;

/** An operator loses patience with a database that does not answer. */
class InterruptedRestoreTest {

    // it ended without a word, and the namespace may have been retired
    @Test
    void aSignalWhileItIsCarriedOutIsAnsweredWithWhatToDo(@TempDir Path folder)
            throws IOException, InterruptedException, SQLException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        try (PostgresServer postgres = PostgresServer.start()) {
            LeasedSnowflake.open(SnowflakeSettings.of(
                            Map.of("snowflake.coordinator", "jdbc", "snowflake.jdbc.url", postgres.url())))
                    .close();
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            OperatorCommand.class.getName(),
                            "restore",
                            "-Dsnowflake.coordinator=jdbc",
                            "-Dsnowflake.jdbc.url=" + postgres.url())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            try (Connection lock = DriverManager.getConnection(postgres.url());
                    Statement statement = lock.createStatement();
                    Writer answer = process.outputWriter()) {
                Node.await(Node.PATIENCE, () -> {
                    assertThat(process.isAlive()).isTrue();
                    return contentOf(out.toFile()).contains("Type the name of the namespace: ");
                });
                lock.setAutoCommit(false);
                statement.execute("LOCK TABLE snowflake_record IN ACCESS EXCLUSIVE MODE");
                answer.write("snowflake\n");
                answer.flush();
                Node.await(Node.PATIENCE, () -> waiting(postgres).startsWith("1"));

                process.destroy();

                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).isEqualTo(128 + 15);
                assertThat(err)
                        .content()
                        .contains("Interrupted. It may be begun and not finished", "run the same again");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static String waiting(PostgresServer postgres) {
        return postgres.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    }
}
