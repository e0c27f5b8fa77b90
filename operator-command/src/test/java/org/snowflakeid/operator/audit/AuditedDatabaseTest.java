// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers quote what they were given; messages don't. */
class AuditedDatabaseTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db-1/shop?user=root&password=hunter2&ssl=true",
                "jdbc:h2:mem:shop;USER=sa;PASSWORD=hunter2",
                "jdbc:mysql://root:hunter2@db-1/shop",
                "jdbc:mysql://address=(host=db-1)(password=hunter2)/shop"
            })
    void noMessageQuotesAPasswordOfTheUrl(String url) {
        AuditedDatabase database = new AuditedDatabase(url, null, null);

        assertThat(database.place()).startsWith("jdbc:").doesNotContain("hunter2");
        assertThat(database.words(new SQLException("no such option: hunter2.\nmore")))
                .isEqualTo("no such option: ***");
        assertThat(database.words(new SQLException("bad URL " + url))).isEqualTo("bad URL " + database.place());
    }

    @Test
    void noMessageQuotesThatOfTheFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("password"), "hunter2\n");
        AuditedDatabase database = new AuditedDatabase("jdbc:postgresql://db-1/shop", "reader", file);

        assertThat(database.words(new SQLException("login reader/hunter2 refused")))
                .isEqualTo("login reader/*** refused");
    }

    // the second login, after a lost connection, waited for the pipe, or came with no password
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPipeGivesThePasswordOfEachConnection(@TempDir Path folder) throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Thread writer = new Thread(() -> {
            try {
                Files.writeString(pipe, "hunter2\n", StandardOpenOption.WRITE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.start();
        String url = "jdbc:h2:mem:audit-pipe";
        try (Connection keeper = DriverManager.getConnection(url);
                Statement statement = keeper.createStatement()) {
            statement.execute("CREATE USER reader PASSWORD 'hunter2'");
            AuditedDatabase database = new AuditedDatabase(url, "reader", pipe);

            database.open().close();
            database.open().close();

            assertThat(database.words(new SQLException("reader/hunter2 refused")))
                    .isEqualTo("reader/*** refused");
        }
        writer.join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:postgresql://127.0.0.1:%d/shop", "jdbc:mariadb://127.0.0.1:%d/shop"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aServerThatLetsInAndSaysNothingIsNotWaitedFor(String url) throws IOException {
        try (ServerSocket frozen = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            AuditedDatabase database = new AuditedDatabase(String.format(url, frozen.getLocalPort()), "reader", null);

            assertThatThrownBy(database::open).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void aPasswordThatIsTypedIsWarnedOf() {
        assertThat(new AuditedDatabase("jdbc:postgresql://db-1/shop?user=root&password=hunter2", null, null).exposed())
                .hasValueSatisfying(
                        said -> assertThat(said).contains("--password-file").doesNotContain("hunter2"));
        assertThat(new AuditedDatabase("jdbc:postgresql://db-1/shop?ssl=true", "root", null).exposed())
                .isEmpty();
    }
}
