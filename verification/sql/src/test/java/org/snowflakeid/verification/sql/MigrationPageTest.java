// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testing.TestSnowflake;
import org.snowflakeid.testservers.PostgresServer;

/** The SQL of docs/migration.md, on tables with keys of 32 bits that a PostgreSQL makes. */
class MigrationPageTest {

    private static PostgresServer postgres;

    private final long id = TestSnowflake.workerId(7).nextId();

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    @BeforeEach
    void createTablesThatTheDatabaseNumbers() {
        postgres.sql("DROP TABLE IF EXISTS order_lines, orders CASCADE;"
                + " CREATE TABLE orders (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer TEXT);"
                + " CREATE TABLE order_lines (order_id INTEGER NOT NULL REFERENCES orders (id), item TEXT);"
                + " INSERT INTO orders (customer) VALUES ('ann'), ('bob');"
                + " INSERT INTO order_lines VALUES (1, 'pen'), (2, 'ink')");
    }

    private static Page section() throws IOException {
        return Page.read("migration.md").section("`Integer` keys and `IDENTITY`");
    }

    private static void migrate() throws IOException {
        assertThat(section().blocks("sql")).hasSize(1);
        postgres.sql(section().blocks("sql").get(0));
    }

    private void insert() {
        postgres.sql(
                "INSERT INTO orders VALUES (" + id + ", 'eve'); INSERT INTO order_lines VALUES (" + id + ", 'pad')");
    }

    @Test
    void itsSqlMakesRoomForOurIds() throws IOException {
        String files = "SELECT pg_relation_filenode('orders'), pg_relation_filenode('order_lines')";
        String before = postgres.sql(files);

        migrate();
        insert();

        assertThat(postgres.sql("SELECT order_id, customer, item FROM orders JOIN order_lines ON order_id = id"
                        + " ORDER BY id"))
                .isEqualToIgnoringNewLines("1|ann|pen2|bob|ink" + id + "|eve|pad");
        assertThatThrownBy(() -> postgres.sql("INSERT INTO order_lines VALUES (3, 'none')"))
                .hasMessageContaining("violates foreign key constraint");
        assertThat(postgres.sql(files).split("\\|"))
                .as("both tables are rewritten")
                .doesNotContain(before.split("\\|"));
    }

    @Test
    void beforeItAnIdIsRefusedAsThePageSays() throws IOException {
        assertThatThrownBy(this::insert)
                .hasMessageContaining(section().text().replaceAll("(?s).*`(cannot insert[^`]*)`.*", "$1"));
    }

    @Test
    void afterItARowWithoutAnIdIsRefusedInsteadOfNumbered() throws IOException {
        migrate();

        assertThatThrownBy(() -> postgres.sql("INSERT INTO orders (customer) VALUES ('eve')"))
                .hasMessageContaining("null value in column \"id\"");
    }

    @Test
    void aSerialColumnNeedsOneOtherWord() throws IOException {
        postgres.sql("DROP TABLE order_lines, orders; CREATE TABLE orders (id SERIAL PRIMARY KEY, customer TEXT);"
                + " CREATE TABLE order_lines (order_id INTEGER NOT NULL REFERENCES orders (id), item TEXT)");
        assertThat(section().text()).contains("A `SERIAL` column needs `DROP DEFAULT` instead of `DROP IDENTITY`");

        postgres.sql(section().blocks("sql").get(0).replace("DROP IDENTITY", "DROP DEFAULT"));
        insert();

        assertThat(postgres.sql("SELECT id FROM orders")).isEqualToIgnoringNewLines(Long.toString(id));
        assertThatThrownBy(() -> postgres.sql("INSERT INTO orders (customer) VALUES ('eve')"))
                .hasMessageContaining("null value in column \"id\"");
    }

    @Test
    void aViewOfTheColumnIsInTheWayAsThePageSays() throws IOException {
        postgres.sql("CREATE VIEW order_ids AS SELECT id FROM orders");

        assertThatThrownBy(MigrationPageTest::migrate)
                .hasMessageContaining(section().text().replaceAll("(?s).*`(cannot alter[^`]*)`.*", "$1"));
    }
}
