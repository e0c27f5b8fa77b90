// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.testservers.LogLines;

class JdbcSettingsTest {
    private static final String URL = "jdbc:postgresql://localhost:5432/ids";

    @TempDir
    private Path directory;

    @BeforeAll
    static void listen() {
        LogLines.listen();
    }

    private static JdbcSettings settings(String generator, Map<String, String> values, Resources resources) {
        return new JdbcSettings(
                new CoordinatorConfig(generator, "snowflake", Duration.ofSeconds(60), values::get, resources));
    }

    private static JdbcSettings settings(Map<String, String> values) {
        return settings("orders", values, Resources.NONE);
    }

    private static List<String> problems(String... values) {
        Map<String, String> keys = keys(values);
        return catchThrowableOfType(InvalidSettingsException.class, () -> settings(keys))
                .problems();
    }

    private static Map<String, String> keys(String... values) {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < values.length; i += 2) {
            keys.put("snowflake.jdbc." + values[i], values[i + 1]);
        }
        return keys;
    }

    /** What an application has. */
    private static Resources with(@Nullable String name, DataSource dataSource) {
        return new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String asked) {
                boolean meant = name == null ? asked == null : name.equals(asked);
                return meant ? Optional.of(type.cast(dataSource)) : Optional.empty();
            }
        };
    }

    @Test
    void wantsADataSourceOrAUrl() {
        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': the application has no default data source")
                .contains("snowflake.jdbc.data-source", "snowflake.jdbc.url");
    }

    @Test
    void usesTheDefaultDataSourceIfNothingIsSet() {
        DataSource found = new JdbcDataSource();

        JdbcSettings.Access access =
                settings("orders", Map.of(), with(null, found)).access();

        assertThat(access.dataSource()).isSameAs(found);
        assertThat(access).hasToString("the default data source");
    }

    @Test
    void usesTheDefaultOfTheServerIfTheApplicationHasNone() {
        DataSource found = new JdbcDataSource();

        JdbcSettings settings = settings("orders", Map.of(), with("java:comp/DefaultDataSource", found));

        assertThat(settings.access().dataSource()).isSameAs(found);
        assertThat(settings.access()).hasToString("the server's data source 'java:comp/DefaultDataSource'");
        assertThat(settings.isOfTheServer()).isTrue();
    }

    @Test
    void usesTheDataSourceThatIsNamed() {
        DataSource found = new JdbcDataSource();

        JdbcSettings.Access access = settings(
                        "orders", keys("data-source", "java:app/jdbc/ids"), with("java:app/jdbc/ids", found))
                .access();

        assertThat(access.dataSource()).isSameAs(found);
        assertThat(access).hasToString("data source 'java:app/jdbc/ids'");
    }

    @Test
    void refusesTheNameOfNoDataSource() {
        assertThat(problems("data-source", "unknown"))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.jdbc.data-source=unknown is neither")
                .contains("snowflake.jdbc.url");
    }

    @Test
    void saysWhatTheApplicationSaysOfADataSourceThatCantBeHad() {
        Resources resources = new Resources() {
            @Override
            public <T> Optional<T> find(Class<T> type, @Nullable String name) {
                throw new InvalidSettingsException(List.of("two beans could be meant"));
            }
        };

        assertThatThrownBy(() -> settings("orders", Map.of(), resources))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("two beans could be meant");
    }

    @Test
    void refusesADataSourceBesideAUrl() {
        assertThat(problems("data-source", "ids", "url", URL))
                .singleElement()
                .asString()
                .contains("snowflake.jdbc.data-source=ids is set beside snowflake.jdbc.url");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "password", "password-file"})
    void refusesCredentialsOfADataSource(String key) throws IOException {
        Path file = Files.writeString(directory.resolve("password"), "hunter2");

        assertThat(catchThrowableOfType(
                                InvalidSettingsException.class,
                                () -> settings(
                                        "orders",
                                        keys(key, key.equals("password-file") ? file.toString() : "hunter2"),
                                        with(null, new JdbcDataSource())))
                        .problems())
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("snowflake 'orders': snowflake.jdbc." + key + "=")
                        .contains("comes without a URL")
                        .doesNotContain(key.equals("password") ? "hunter2" : "none"));
    }

    @Test
    void refusesAPasswordWithoutAUser() {
        assertThat(problems("url", URL, "password", "hunter2"))
                .singleElement()
                .asString()
                .contains("comes without a user. Set snowflake.jdbc.user")
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "postgresql://localhost/ids, is not a JDBC URL",
        "jdbc:postgres://localhost/ids, is understood by no driver",
        "jdbc:oracle:thin:@//localhost/ids, is understood by no driver",
    })
    void refusesWhatNoDriverUnderstands(String url, String complaint) {
        assertThat(problems("url", url))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.jdbc.url=")
                .contains(complaint);
    }

    /** The driver is there then, and its service file has given way to another's. */
    @Test
    void namesTheServiceFileOfDriversWhichAnApplicationInOneJarMayHaveLost() {
        assertThat(problems("url", "jdbc:oracle:thin:@//localhost/ids"))
                .singleElement()
                .asString()
                .endsWith("in an application that is packaged as one jar, merge the files of META-INF/services:"
                        + " META-INF/services/java.sql.Driver has to name it.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/ids?user=me&password=hunter2&sslmode=require",
                "jdbc:mariadb://me:hunter2@db/ids?sslMode=verify-full",
                "jdbc:h2:tcp://db/ids;USER=me;PASSWORD=hunter2"
            })
    void showsNoPasswordOfAUrl(String url) {
        JdbcSettings settings = settings(keys("url", url));

        assertThat(settings.access()).asString().startsWith("jdbc:").doesNotContain("hunter2");
    }

    /** The driver says so, and quotes all of it, when it is to connect. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mariadb:aurora://db/ids?user=app&password=hunter2",
                "jdbc:mariadb:/db/ids?user=app&password=hunter2"
            })
    void showsNoPasswordOfAUrlThatTheDriverCannotRead(String url) {
        try (JdbcStore store = new JdbcStore(settings(keys("url", url)))) {
            CoordinatorException thrown = catchThrowableOfType(
                    CoordinatorException.class, () -> store.read(List.of("a"), Duration.ofSeconds(5)));

            assertThat(thrown).hasMessageContainingAll("jdbc:mariadb:", "snowflake.jdbc.url");
            StringWriter all = new StringWriter();
            thrown.printStackTrace(new PrintWriter(all));
            assertThat(all.toString()).doesNotContain("hunter2");
            assertThat(thrown.permanent()).isTrue();
        }
    }

    /** Such as one whose driver is missing: it quotes the URL that the application has set. */
    @ParameterizedTest
    @CsvSource({
        "jdbc:nosuch://db/ids?user=app&password=hunter2, jdbc:nosuch://db/ids?***",
        "'jdbc:nosuch://db/ids?user=app&password=hun,ter2', jdbc:nosuch://db/ids?***",
        "jdbc:nosuch://app:hunter2@db/ids, jdbc:nosuch://***@db/ids",
        "jdbc:nosuch:thin:app/hunter2@//db:1521/ids, ***@//db:1521/ids",
        "jdbc:nosuch://db;databaseName=ids;password=hunter2, jdbc:nosuch://db;***"
    })
    void showsNoPasswordThatAPoolQuotes(String url, String shown) throws SQLException {
        try (Pool pool = new Pool(Pool.Product.DBCP, url);
                JdbcStore store = new JdbcStore(settings("orders", Map.of(), pool))) {
            CoordinatorException thrown = catchThrowableOfType(
                    CoordinatorException.class, () -> store.read(List.of("a"), Duration.ofSeconds(60)));

            assertThat(thrown).hasMessageContainingAll("Cannot create JDBC driver", shown);
            StringWriter all = new StringWriter();
            thrown.printStackTrace(new PrintWriter(all));
            assertThat(all.toString()).doesNotContain("hunter2", "ter2");
        }
    }

    // it ended without a word of what to do
    @Test
    void refusesANameOfTheTableThatIsTooLong() {
        String name = "t".repeat(64);

        assertThat(problems("url", URL, "table", name))
                .containsExactly("snowflake 'orders': snowflake.jdbc.table=" + name
                        + " is longer than 63 characters. Shorten it: PostgreSQL keeps no more of a name.");
    }

    @Test
    void refusesANamespaceTooLongForTheTable() {
        CoordinatorConfig config =
                new CoordinatorConfig("orders", "n".repeat(187), Duration.ofSeconds(60), keys("url", URL)::get);

        assertThat(catchThrowableOfType(InvalidSettingsException.class, () -> new JdbcSettings(config)))
                .hasMessageContainingAll("longer than 186 characters", "Shorten snowflake.namespace");
    }

    @ParameterizedTest
    @ValueSource(strings = {"create-table", "durability", "in-memory", "call-timeout"})
    void refusesWrongValues(String key) {
        assertThat(problems("url", URL, key, "perhaps"))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.jdbc." + key + "=perhaps ");
    }

    /** H2 drops it with its last connection, and ours are closed when they are idle. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:h2:mem:ids",
                "jdbc:h2:mem:ids;DB_CLOSE_DELAY=0",
                "jdbc:h2:mem:ids;DB_CLOSE_DELAY=-10",
                "jdbc:h2:mem:",
                "jdbc:h2:mem:;DB_CLOSE_DELAY=-1"
            })
    void refusesAnH2InMemoryThatIsGoneWhenItIsIdle(String url) {
        assertThat(problems("url", url, "in-memory", "allow"))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': snowflake.jdbc.url=jdbc:h2:mem:")
                .contains(";DB_CLOSE_DELAY=-1", "jdbc:h2:file:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:h2:mem:ids;DB_CLOSE_DELAY=-1",
                "jdbc:h2:mem:ids;MODE=MySQL;db_close_delay=-1;WRITE_DELAY=0",
                "jdbc:h2:file:./ids"
            })
    void takesAnH2ThatStays(String url) {
        assertThat(settings(keys("url", url, "in-memory", "allow")).access().url())
                .isEqualTo(url);
    }

    @Test
    void createsTheTableUnlessThatIsTurnedOff() {
        assertThat(settings(keys("url", URL)).createsTable()).isTrue();
        assertThat(settings(keys("url", URL, "create-table", "false")).createsTable())
                .isFalse();
    }

    @Test
    void takesTheShorterTimeout() {
        JdbcSettings settings = settings(keys("url", URL, "call-timeout", "PT2S"));

        assertThat(settings.callTimeout().of(Duration.ofSeconds(5))).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.callTimeout().of(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource({
        "plain1, jdbc:postgresql://db.example/ids, true",
        "plain2, jdbc:postgresql://db.example/ids?sslmode=prefer, true",
        "plain3, jdbc:mariadb://db.example/ids?sslMode=disable, true",
        "plain4, jdbc:postgresql://localhost.example/ids, true",
        "tls1, jdbc:postgresql://db.example/ids?user=me&sslmode=verify-full, false",
        "tls2, jdbc:mariadb://db.example/ids?sslMode=verify-full, false",
        "tls3, jdbc:postgresql://db.example/ids?ssl=true, false",
        "local1, jdbc:postgresql://127.0.0.1:5432/ids, false",
        "local2, jdbc:mariadb://localhost/ids, false",
        "local3, jdbc:postgresql:ids, false",
        "local4, jdbc:h2:mem:ids;DB_CLOSE_DELAY=-1, false",
        "local5, jdbc:postgresql:ids?options=//, false",
        "local6, 'jdbc:mariadb://localhost:3306/ids?sessionVariables=a=1,b=2', false",
        "local7, jdbc:mariadb:sequential://localhost/ids, false",
        "modes1, jdbc:mariadb:sequential://10.0.0.5/ids, true",
        "modes2, 'jdbc:mariadb:replication://localhost,10.0.0.5/ids', true",
        "several1, 'jdbc:postgresql://localhost:5432,10.0.0.5:5432/ids', true",
        "several2, 'jdbc:postgresql://localhost,10.0.0.5/ids', true"
    })
    void warnsOfTrafficThatOthersMaySeeOrAlter(String generator, String url, boolean warned) {
        settings(generator, keys("url", url), Resources.NONE);

        assertThat(LogLines.of(generator).stream()
                        .filter(line -> line.contains("does not ask for an encrypted connection"))
                        .toList())
                .hasSize(warned ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource({
        "trust1, jdbc:postgresql://db.example/ids?user=me&sslmode=require, true",
        "trust2, jdbc:postgresql://db.example/ids?ssl=true&sslfactory=org.postgresql.ssl.NonValidatingFactory, true",
        "trust3, jdbc:mariadb://db.example/ids?sslMode=trust, true",
        "trust4, jdbc:mariadb://db.example/ids?useSSL=true&trustServerCertificate=true, true",
        "verify1, jdbc:postgresql://db.example/ids?ssl=true, false",
        "verify2, jdbc:postgresql://db.example/ids?sslmode=verify-ca, false",
        "verify3, jdbc:mariadb://db.example/ids?useSSL=true, false",
        "verify4, jdbc:mariadb://db.example/ids?sslMode=verify-full, false",
        "verify5, jdbc:postgresql://127.0.0.1:5432/ids?sslmode=require, false",
    })
    void warnsOfAServerThatMayBeAny(String generator, String url, boolean warned) {
        settings(generator, keys("url", url), Resources.NONE);

        assertThat(LogLines.of(generator).stream()
                        .filter(line -> line.startsWith("WARNING")
                                && line.contains("snowflake.jdbc.url asks for an encrypted connection to any server")
                                && line.contains("Add sslmode=verify-full"))
                        .toList())
                .hasSize(warned ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://db/ids?sslMode=REQUIRED, true",
        "jdbc:mysql://db/ids?user=me&useSSL=true, true",
        "jdbc:mysql://db/ids?useSSL=true&verifyServerCertificate=true, false",
        "jdbc:mysql://db/ids?useSSL=true&sslMode=VERIFY_IDENTITY, false",
    })
    void knowsByWhatMySqlVerifies(String url, boolean any) {
        assertThat(DatabaseUrl.UNVERIFIED.get("jdbc:mysql:").matcher(url).find())
                .isEqualTo(any);
    }

    /** H2 quotes the statement that it can't execute, with a mark in it. */
    @Test
    void showsNoPasswordOfAnInitThatFails() {
        String url = "jdbc:h2:mem:init;DB_CLOSE_DELAY=-1;INIT=CREATE USER a PASSWORD 'hunter2'\\;"
                + "CREATE USER b PASSWORD 'pear' NONSENSE";
        try (JdbcStore store = new JdbcStore(settings(keys("url", url, "in-memory", "allow")))) {
            CoordinatorException thrown = catchThrowableOfType(
                    CoordinatorException.class, () -> store.read(List.of("a"), Duration.ofSeconds(60)));

            StringWriter all = new StringWriter();
            thrown.printStackTrace(new PrintWriter(all));
            assertThat(all.toString()).contains("NONSENSE").doesNotContain("hunter2", "pear");
        }
    }

    @Test
    void thoseWhoReachTheSameDatabaseInTheSameWayShareAConnection() {
        DataSource one = new JdbcDataSource();

        assertThat(settings(keys("url", URL)).access())
                .isEqualTo(settings(keys("url", URL, "create-table", "false")).access())
                .isNotEqualTo(settings(keys("url", URL, "user", "me")).access());
        assertThat(settings("a", Map.of(), with(null, one)).access())
                .isEqualTo(settings("b", Map.of(), with(null, one)).access())
                .isNotEqualTo(settings("b", Map.of(), with(null, new JdbcDataSource()))
                        .access());
    }

    @Test
    void aKeyThatIsNearNoneIsAnsweredWithThoseThatSayWhichDatabaseItIs() {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of("snowflake.jdbc.host", "db")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("What is needed there is snowflake.jdbc.data-source or snowflake.jdbc.url.");
    }
}
