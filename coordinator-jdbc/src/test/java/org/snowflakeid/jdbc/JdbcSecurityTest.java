// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.SecretContract;
import org.snowflakeid.testservers.Certificates;
import org.snowflakeid.testservers.MariaDbServer;
import org.snowflakeid.testservers.PostgresServer;

/** Encryption, logins and rights. */
class JdbcSecurityTest {

    @TempDir
    private static Path directory;

    private static Certificates certificates;
    private static Certificates others;
    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;

    @BeforeAll
    static void startServers() throws Exception {
        certificates = new Certificates(Files.createDirectory(directory.resolve("certificates")));
        others = new Certificates(Files.createDirectory(directory.resolve("others")));
        postgres = PostgresServer.builder()
                .tls(certificates)
                .access("hostssl all \"by-certificate\" 127.0.0.1/32 cert map=client")
                .access("host all admin 127.0.0.1/32 trust")
                .access("host all all 127.0.0.1/32 scram-sha-256")
                .start();
        mariaDb = MariaDbServer.start(certificates);
        postgres.sql("CREATE ROLE app LOGIN PASSWORD 'hunter2'");
        postgres.sql("CREATE ROLE reader LOGIN PASSWORD 'hunter2'");
        postgres.sql("CREATE ROLE stranger LOGIN PASSWORD 'hunter2'");
        mariaDb("CREATE USER app@'127.0.0.1' IDENTIFIED BY 'hunter2'");
        mariaDb("CREATE USER stranger@'127.0.0.1' IDENTIFIED BY 'hunter2'");
        mariaDb("GRANT USAGE ON ids.* TO stranger@'127.0.0.1'");
        for (String statement : documented("postgresql")) {
            postgres.sql(statement);
        }
        postgres.sql("GRANT SELECT ON snowflake_record TO reader");
        for (String statement : documented("mariadb")) {
            mariaDb(statement);
        }
    }

    /** What the documentation says an administrator does, and what shows the records. */
    private static List<String> documented(String database) throws IOException {
        return Pattern.compile("```sql " + database + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/coordinator-jdbc.md"))
                        + Files.readString(Path.of("../docs/evidence/coordinators.md")))
                .results()
                .flatMap(block -> Stream.of(block.group(1).split(";\n")))
                .toList();
    }

    @Test
    void documentationHasTheTableThatTheCoordinatorWouldCreate() throws IOException {
        assertThat(documented("postgresql"))
                .hasSize(3)
                .element(0)
                .isEqualTo(Dialect.POSTGRESQL.createTable("snowflake_record"));
        assertThat(documented("mariadb"))
                .hasSize(3)
                .element(0)
                .isEqualTo(Dialect.MARIADB.createTable("snowflake_record"));
        assertThat(documented("h2")).containsExactly(Dialect.H2.createTable("snowflake_record"));
    }

    @AfterAll
    static void stopServers() {
        postgres.close();
        mariaDb.close();
    }

    abstract static class Password extends SecretContract {
        private final String url;

        Password(String url) {
            super("jdbc", "snowflake.jdbc.password", "snowflake.jdbc.password-file", "hunter2", "pear");
            this.url = url;
        }

        @Override
        protected Map<String, String> settings() {
            return Map.of("snowflake.jdbc.url", url, "snowflake.jdbc.user", "app");
        }

        @Override
        protected String saidOfARefusal() {
            return "refuses the login";
        }

        @Override
        protected Map<String, String> anonymous() {
            return settings();
        }

        @Override
        protected String saidToAnAnonymousClient() {
            return "snowflake.jdbc.user";
        }
    }

    @Nested
    class PasswordOfPostgres extends Password {
        PasswordOfPostgres() {
            super(urlOfPostgres(""));
        }
    }

    @Nested
    class PasswordOfMariaDb extends Password {
        PasswordOfMariaDb() {
            super(urlOfMariaDb(""));
        }
    }

    private static void mariaDb(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(mariaDb.url());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String urlOfPostgres(String parameters) {
        return postgres.anonymousUrl(postgres.clientPort()) + parameters;
    }

    private static String urlOfMariaDb(String parameters) {
        return mariaDb.anonymousUrl(mariaDb.clientPort()) + parameters;
    }

    private static Node node(String url, String... settings) {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            keys.put("snowflake.jdbc." + settings[i], settings[i + 1]);
        }
        keys.put("snowflake.jdbc.url", url);
        return new JdbcNode(Node.freshNamespace(), Node.TIMEOUT, keys);
    }

    private static Node nodeOf(String url, String user, String password) {
        return node(url, "user", user, "password", password);
    }

    private static void requireWorking(Node node) {
        node.createMeta();
        Stored mark = node.claim(3);
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    private static CoordinatorException refusal(Node node) {
        return catchThrowableOfType(CoordinatorException.class, node::createMeta);
    }

    @Test
    void worksWithTheLeastRights() {
        try (Node onPostgres = nodeOf(urlOfPostgres(""), "app", "hunter2");
                Node onMariaDb = nodeOf(urlOfMariaDb(""), "app", "hunter2")) {
            requireWorking(onPostgres);
            requireWorking(onMariaDb);
        }
    }

    @Test
    void passwordFileIsReadForEachConnection() throws IOException {
        postgres.sql("CREATE ROLE rotated LOGIN PASSWORD 'first'; GRANT app TO rotated");
        Path file = Files.writeString(directory.resolve("password"), "first\n");
        try (Node node = node(urlOfPostgres(""), "user", "rotated", "password-file", file.toString())) {
            requireWorking(node);

            postgres.sql("ALTER ROLE rotated PASSWORD 'second'; SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE usename = 'rotated'");
            CoordinatorException refusal = null;
            for (int i = 0; i < 5 && (refusal == null || !refusal.permanent()); i++) {
                refusal = catchThrowableOfType(CoordinatorException.class, () -> node.read(0, 0));
            }
            assertThat(refusal).isNotNull().hasMessageContaining("snowflake.jdbc.password-file");
            Files.writeString(file, "second\n");

            await(Node.PATIENCE, node::answers);
        }
    }

    @Test
    void missingRightsArePermanent() {
        try (Node reader = nodeOf(urlOfPostgres(""), "reader", "hunter2");
                Node stranger = nodeOf(urlOfPostgres(""), "stranger", "hunter2");
                Node strangerThere = nodeOf(urlOfMariaDb(""), "stranger", "hunter2")) {
            for (Node node : new Node[] {reader, stranger, strangerThere}) {
                CoordinatorException refusal = refusal(node);

                assertThat(refusal.permanent()).isTrue();
                assertThat(refusal).hasMessageFindingMatch("Grant SELECT, INSERT and UPDATE on|none for this user");
            }
        }
    }

    @Test
    void absentDatabaseIsPermanent() {
        String url = "jdbc:postgresql://127.0.0.1:" + postgres.clientPort() + "/nowhere";
        try (Node node = nodeOf(url, "app", "hunter2")) {
            CoordinatorException refusal = refusal(node);

            assertThat(refusal.permanent()).isTrue();
            assertThat(refusal)
                    .hasMessageContaining("there is no such database")
                    .hasMessageContaining("nowhere");
        }
    }

    @Test
    void absentTableThatMayNotBeCreatedIsPermanentAndNamesTheStatement() {
        postgres.sql("CREATE SCHEMA bare; GRANT USAGE ON SCHEMA bare TO app");
        String url = urlOfPostgres("?currentSchema=bare");
        try (Node forbidden = nodeOf(url, "app", "hunter2");
                Node turnedOff = node(url, "user", "admin", "create-table", "false")) {
            for (Node node : new Node[] {forbidden, turnedOff}) {
                CoordinatorException refusal = refusal(node);

                assertThat(refusal.permanent()).isTrue();
                assertThat(refusal)
                        .hasMessageContaining(Dialect.POSTGRESQL.createTable("\"bare\".\"snowflake_record\""));
            }
            assertThat(refusal(turnedOff)).hasMessageContaining("snowflake.jdbc.create-table is false");
        }
    }

    @Test
    void worksEncryptedByTheParametersOfTheDriver() {
        String ca = certificates.ca().toString();
        try (Node onPostgres = nodeOf(urlOfPostgres("?sslmode=verify-full&sslrootcert=" + ca), "app", "hunter2");
                Node onMariaDb = nodeOf(urlOfMariaDb("?sslMode=verify-full&serverSslCert=" + ca), "app", "hunter2")) {
            requireWorking(onPostgres);
            requireWorking(onMariaDb);
            assertThat(postgres.sql("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                            + " WHERE ssl AND usename = 'app'"))
                    .startsWith("1");
        }
    }

    @Test
    void certificateOfAnotherAuthorityIsPermanent() {
        String ca = others.ca().toString();
        try (Node onPostgres = nodeOf(urlOfPostgres("?sslmode=verify-full&sslrootcert=" + ca), "app", "hunter2");
                Node onMariaDb = nodeOf(urlOfMariaDb("?sslMode=verify-full&serverSslCert=" + ca), "app", "hunter2")) {
            for (Node node : new Node[] {onPostgres, onMariaDb}) {
                CoordinatorException refusal = refusal(node);

                assertThat(refusal.permanent()).as(refusal.getMessage()).isTrue();
                assertThat(refusal).hasMessageContaining("is not trusted");
            }
        }
    }
}
