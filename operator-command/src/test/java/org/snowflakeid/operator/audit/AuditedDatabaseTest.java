// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
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
}
