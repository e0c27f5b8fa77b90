// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link OtherDatabasesTest} asks of the others; nightly, since Firebird is slow on a busy machine. */
@Tag("nightly")
class FirebirdTest {
    private static Databases database;

    @BeforeAll
    static void startServer() {
        database = Databases.firebird();
    }

    @AfterAll
    static void stopServer() {
        database.close();
    }

    private static String url() {
        return database.settings().get("snowflake.jdbc.url");
    }

    @Test
    void theTableOfThePageIsUsedAndKeepsAllPromises() throws Exception {
        OtherDatabasesTest.useTheTableOfThePage(Dialect.FIREBIRD, url());
    }

    @Test
    void anotherTableIsRefused() throws Exception {
        OtherDatabasesTest.refuseAnotherTable(url());
    }
}
