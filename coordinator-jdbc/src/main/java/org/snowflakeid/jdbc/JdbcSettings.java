// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.support.CallTimeout;
import org.snowflakeid.support.Credentials;
import org.snowflakeid.support.Durability;
import org.snowflakeid.support.PasswordKeys;

/** The keys {@code snowflake.jdbc.*}, checked: whatever can be known to be wrong without asking a database is refused here. */
final class JdbcSettings {
    private static final System.Logger LOG = System.getLogger(JdbcSettings.class.getName());

    static final Key<String> DATA_SOURCE = Key.address("snowflake.jdbc.data-source", "the name of a data source")
            .otherwise("the application's default data source, unless `snowflake.jdbc.url` is set")
            .use(Key.Use.ESSENTIAL)
            .meaning(
                    "The application's data source: the name of a CDI bean, of a bean of Spring, of a Quarkus data source, or in JNDI.");
    static final Key<String> URL = Key.address("snowflake.jdbc.url", "URL as the driver wants it")
            .use(Key.Use.ESSENTIAL)
            .meaning("A database that is reached without a data source, by its driver. Encryption is set in the URL.");
    /** Databases may look for the table first in a schema of that name. */
    static final Key<String> USER =
            Key.text("snowflake.jdbc.user").place().use(Key.Use.OFTEN).meaning("Goes with the URL.");

    static final Key<String> PASSWORD = Key.secret("snowflake.jdbc.password", "text")
            .use(Key.Use.OFTEN)
            .meaning("Set it, or the file, together with the user.");
    static final Key<Path> PASSWORD_FILE = Key.file("snowflake.jdbc.password-file")
            .use(Key.Use.OFTEN)
            .meaning("File of the password, read anew at each login. A line end after it is ignored.");
    private static final PasswordKeys PASSWORDS = new PasswordKeys(USER, PASSWORD, PASSWORD_FILE);
    static final Key<Boolean> CREATE_TABLE = Key.bool("snowflake.jdbc.create-table")
            .standard("true")
            .use(Key.Use.OFTEN)
            .meaning("Whether the table is created if it is absent.");
    static final Key<String> SCHEMA = Key.text("snowflake.jdbc.schema")
            .otherwise("what the data source's own user has by default, whatever a session shows")
            .use(Key.Use.OFTEN)
            .place()
            .meaning("The schema of the table; MariaDB, MySQL: its database.");
    static final Key<String> TABLE = Key.text(
                    "snowflake.jdbc.table",
                    name -> name.length() <= 63,
                    "is longer than 63 characters",
                    "up to 63 characters")
            .standard("snowflake_record")
            .place()
            .meaning("The name of the table.");
    static final Key<Durability> DURABILITY = Durability.key(
            "jdbc",
            "a database that may lose what it acknowledged: `fsync=off`, `synchronous_commit=off`,"
                    + " `innodb_flush_log_at_trx_commit` other than 1 and 3, with a binary log `sync_binlog` other than 1,"
                    + " H2's `WRITE_DELAY` other than 0, a replica that can be written, and what corresponds to them"
                    + " elsewhere");
    static final Key<InMemory> IN_MEMORY = Key.choice("snowflake.jdbc.in-memory", InMemory.class)
            .standard("refuse")
            .meaning("An H2 in the memory of this process, which no other process sees: `refuse` it, or `allow` it in"
                    + " tests of one process.");
    static final Key<Duration> CALL_TIMEOUT = CallTimeout.key("snowflake.jdbc.call-timeout");

    static final List<Key<?>> KEYS = List.of(
            DATA_SOURCE,
            URL,
            USER,
            PASSWORD,
            PASSWORD_FILE,
            SCHEMA,
            TABLE,
            CREATE_TABLE,
            DURABILITY,
            IN_MEMORY,
            CALL_TIMEOUT);

    static final String IN_MEMORY_REFUSED =
            "this H2 is in memory, and of this process alone: other processes see nothing of it,"
                    + " and would use the same worker ids. Use a database that all processes share, or in tests of one process set "
                    + IN_MEMORY + "=allow.";

    /** The table has 200 characters for a name, and the longest worker id has seven. */
    private static final int LONGEST_NAMESPACE = 200 - "/marks/1048575".length();

    /** Parameters by which the URLs of those drivers ask for encryption; without them it is not certain. */
    private static final Map<String, Pattern> ENCRYPTED = Map.of(
            "jdbc:postgresql:", Pattern.compile("[?&](ssl(=true)?(&|$)|sslmode=(require|verify-ca|verify-full))"),
            "jdbc:mariadb:", Pattern.compile("(?i)[?&](sslmode=(trust|verify-ca|verify-full)|usessl=true)"),
            "jdbc:mysql:", Pattern.compile("(?i)[?&](sslmode=(required|verify_ca|verify_identity)|usessl=true)"));

    /** Parameters by which they encrypt for a server that may be any. MariaDB's driver verifies by useSSL=true, MySQL's does not. */
    static final Map<String, Pattern> UNVERIFIED = Map.of(
            "jdbc:postgresql:", Pattern.compile("[?&](sslmode=require(&|$)|sslfactory=[^&]*NonValidating)"),
            "jdbc:mariadb:", Pattern.compile("(?i)[?&](sslmode=trust|trustservercertificate=(true|1))"),
            "jdbc:mysql:",
                    Pattern.compile("(?i)^(?!.*[?&](sslmode=verify_|verifyservercertificate=true))"
                            + ".*[?&](sslmode=required|usessl=true)"));

    /** One host, by whatever mode of the driver, or none. */
    private static final Pattern LOOPBACK = Pattern.compile(
            "jdbc:([a-z+:-]+//(localhost|127\\.[0-9.]+|\\[::1])(:[0-9]+)?([/?].*)?|[a-z]+:(?![^?]*//).*)");

    private static final String VERIFIED = " Add sslmode=verify-full (MySQL: sslMode=VERIFY_IDENTITY).";

    /** As a parameter, or before the host. */
    private static final Pattern PASSWORD_IN_URL =
            Pattern.compile("(?i)(?:passw(?:or)?d|pwd|secret|token)=([^&;,)]+)|//[^/@:?]*:([^/@]+)@");

    /** Each driver has another way to write passwords. */
    private static final Pattern QUOTED_URL = Pattern.compile("jdbc:\\S+");

    /** The same in a sentence. */
    private static final Pattern QUOTED_PASSWORD =
            Pattern.compile("(?i)(?:passw(?:or)?d|pwd|secret|token)=([^&;,)\\s'\"]+)|//[^/@:?\\s]*:([^/@\\s]+)@");

    /** In SQL of H2's INIT. */
    private static final Pattern LITERAL_IN_URL = Pattern.compile("(?i)(?:;INIT=|\\G)[^']*'([^']+)'");

    /** It outlives its connections only under a name, and if the URL says so. */
    private static final Pattern LASTING_H2 = Pattern.compile("(?i)jdbc:h2:mem:[^;]+;(.*;)?DB_CLOSE_DELAY=-1(;.*)?");

    /** What a server of Jakarta EE calls the default. */
    private static final String OF_THE_SERVER = "java:comp/DefaultDataSource";

    /** What is done about a database that is in the memory of this process. */
    enum InMemory {
        REFUSE,
        ALLOW
    }

    /** What may be wrong with a database that is used all the same. */
    record Accepted(Durability durability, InMemory inMemory) {}

    private final CoordinatorConfig config;
    private final Access access;
    private final boolean ofTheServer;
    private final boolean createTable;
    private final CallTimeout callTimeout;

    /**
     * Which database is reached, and how; equal for those who may share threads and connections.
     *
     * @param dataSource compared by identity
     * @param schema as it is set; null: the user's default
     * @param name of the data source, or the URL, as messages show it
     */
    record Access(
            @Nullable DataSource dataSource,
            @Nullable String url,
            Credentials login,
            @Nullable String schema,
            String table,
            Accepted accepted,
            String name) {

        @Override
        @SuppressWarnings("ReferenceEquality") // whatever a data source takes for equal
        public boolean equals(@Nullable Object other) {
            return other instanceof Access access
                    && dataSource == access.dataSource
                    && Objects.equals(url, access.url)
                    && login.equals(access.login)
                    && Objects.equals(schema, access.schema)
                    && table.equals(access.table)
                    && accepted.equals(access.accepted)
                    && name.equals(access.name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }

        /**
         * What drivers, pools and databases quote, and no message may show: the URL, and what may be a password in it; each with what
         * is shown instead, in the order in which they are replaced.
         *
         * @param said in which a data source may quote the URL that it was given
         */
        Map<String, String> secrets(String said) {
            Map<String, String> shown = new LinkedHashMap<>();
            if (url == null) {
                QUOTED_URL
                        .matcher(said)
                        .results()
                        .map(MatchResult::group)
                        .forEach(each -> shown.put(each, URL.shown(each)));
                shown.entrySet().removeIf(each -> each.getKey().equals(each.getValue()));
            } else {
                shown.put(url, name);
            }
            Stream<String> passwords =
                    url == null ? found(said, QUOTED_PASSWORD) : found(url, PASSWORD_IN_URL, LITERAL_IN_URL);
            passwords.forEach(password -> shown.putIfAbsent(password, "***"));
            return shown;
        }

        private static Stream<String> found(String text, Pattern... patterns) {
            return Stream.of(patterns)
                    .flatMap(pattern -> pattern.matcher(text).results())
                    .flatMap(found ->
                            IntStream.rangeClosed(1, found.groupCount()).mapToObj(found::group))
                    .filter(Objects::nonNull);
        }

        /** Without the password. */
        @Override
        public String toString() {
            return name;
        }
    }

    /** @throws InvalidSettingsException naming every problem at once */
    JdbcSettings(CoordinatorConfig config) {
        this.config = config;
        SettingsReader reader = new SettingsReader(config);
        String url = reader.optional(URL).orElse(null);
        for (Key<?> key : List.of(USER, PASSWORD, PASSWORD_FILE)) {
            if (url == null && reader.isSet(key)) {
                reader.refuse(
                        key,
                        "comes without a URL, and a data source has credentials of its own. Set " + URL
                                + " or remove it.");
            }
        }
        if (url != null && reader.isSet(DATA_SOURCE)) {
            reader.refuse(DATA_SOURCE, "is set beside " + URL + ". Remove one of them.");
        }
        if (url != null) {
            PASSWORDS.requireUserOfPassword(reader);
        }
        PASSWORDS.check(reader);
        String name = reader.optional(DATA_SOURCE).orElse(null);
        Optional<DataSource> own = url == null ? find(name) : Optional.empty();
        Optional<DataSource> servers =
                url == null && name == null && own.isEmpty() ? find(OF_THE_SERVER) : Optional.empty();
        Accepted accepted = new Accepted(reader.value(DURABILITY), reader.value(IN_MEMORY));
        if (url != null) {
            checkUrl(reader, url, accepted);
        } else if (own.isEmpty() && servers.isEmpty()) {
            refuseNone(reader);
        }
        ofTheServer = servers.isPresent();
        access = new Access(
                own.or(() -> servers).orElse(null),
                url,
                PASSWORDS.credentials(reader),
                reader.optional(SCHEMA).orElse(null),
                reader.value(TABLE),
                accepted,
                place(url, name));
        if (config.namespace().length() > LONGEST_NAMESPACE) {
            reader.problem("the namespace '" + config.namespace() + "' is longer than " + LONGEST_NAMESPACE
                    + " characters, and so the names of its records are too long for the table " + access.table()
                    + ". Shorten snowflake.namespace.");
        }
        createTable = reader.value(CREATE_TABLE);
        callTimeout = new CallTimeout(reader.optional(CALL_TIMEOUT));
        reader.throwProblems();
        reader.logWarnings(LOG);
    }

    private Optional<DataSource> find(@Nullable String name) {
        return config.resources().find(DataSource.class, name);
    }

    private static void refuseNone(SettingsReader reader) {
        if (reader.isSet(DATA_SOURCE)) {
            reader.refuse(
                    DATA_SOURCE,
                    "is neither a data source among the application's beans nor one in JNDI. Name one, or set " + URL
                            + " instead.");
        } else {
            reader.problem("the application has no default data source, neither as a bean nor in JNDI. Name another in "
                    + DATA_SOURCE + ", or set " + URL + ".");
        }
    }

    private String place(@Nullable String url, @Nullable String name) {
        if (url != null) {
            return URL.shown(url);
        }
        if (name != null) {
            return "data source '" + DATA_SOURCE.shown(name) + "'";
        }
        return ofTheServer ? "the server's data source '" + OF_THE_SERVER + "'" : "the default data source";
    }

    private static void checkUrl(SettingsReader reader, String url, Accepted accepted) {
        if (!url.startsWith("jdbc:")) {
            reader.refuse(URL, "is not a JDBC URL. Write one such as jdbc:postgresql://localhost:5432/ids.");
            return;
        }
        Optional<Driver> driver = driver(url);
        if (driver.isEmpty()) {
            reader.refuse(
                    URL,
                    "is understood by no driver on the class path. Add that of the database, such as"
                            + " org.postgresql:postgresql, org.mariadb.jdbc:mariadb-java-client or com.h2database:h2. If it is"
                            + " there, in an application that is packaged as one jar, merge the files of META-INF/services:"
                            + " META-INF/services/java.sql.Driver has to name it.");
        }
        if (accepted.inMemory() == InMemory.ALLOW
                && url.startsWith("jdbc:h2:mem:")
                && !LASTING_H2.matcher(url).matches()) {
            reader.refuse(
                    URL,
                    "is an H2 in memory that is dropped with all worker ids a few seconds after a call, when no connection"
                            + " is open. Write it as jdbc:h2:mem:ids;DB_CLOSE_DELAY=-1, or use a file: jdbc:h2:file:./ids.");
        }
        if (!url.startsWith("jdbc:h2:") && LocalDatabase.isInMemory(url)) {
            reader.refuse(URL, LocalDatabase.IS_IN_MEMORY);
        }
        String product =
                url.substring(0, url.indexOf(':', "jdbc:".length()) + 1).toLowerCase(Locale.ROOT);
        Pattern encrypted = ENCRYPTED.get(product);
        Pattern unverified = UNVERIFIED.get(product);
        if (encrypted == null || unverified == null || LOOPBACK.matcher(url).matches()) {
            return;
        }
        if (!encrypted.matcher(url).find()) {
            reader.warn(
                    URL,
                    "does not ask for an encrypted connection: anyone who sees the network's traffic can read it, and alter"
                            + " it." + VERIFIED);
        } else if (unverified.matcher(url).find()) {
            reader.warn(
                    URL,
                    "asks for an encrypted connection to any server, whatever certificate it shows: one that stands in for"
                            + " the database reads the password, and alters what is written." + VERIFIED);
        }
    }

    /** Not by the DriverManager alone: it does not know the drivers that an application brings to a server. */
    static Optional<Driver> driver(String url) {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        return Stream.of(application, JdbcSettings.class.getClassLoader())
                .distinct()
                .flatMap(JdbcSettings::drivers)
                .filter(driver -> accepts(driver, url))
                .findFirst()
                .or(() -> DriverManager.drivers()
                        .filter(driver -> accepts(driver, url))
                        .findFirst());
    }

    private static Stream<Driver> drivers(@Nullable ClassLoader loader) {
        try {
            return ServiceLoader.load(Driver.class, loader).stream()
                    .flatMap(each -> {
                        try {
                            return Stream.of(each.get());
                        } catch (ServiceConfigurationError | LinkageError unusable) {
                            return Stream.empty();
                        }
                    })
                    .toList()
                    .stream();
        } catch (ServiceConfigurationError unreadable) {
            return Stream.empty();
        }
    }

    private static boolean accepts(Driver driver, String url) {
        try {
            return driver.acceptsURL(url);
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * As the file has it now, if it is in a file.
     *
     * @throws InvalidSettingsException if the file can't be read
     */
    @Nullable
    String password() {
        return access.login().passwordNow(config.generator());
    }

    String generator() {
        return config.generator();
    }

    Access access() {
        return access;
    }

    /** Whether it is the server's default data source, and not one that a setting names. */
    boolean isOfTheServer() {
        return ofTheServer;
    }

    /** Null: the user's default. */
    @Nullable
    String schema() {
        return access.schema();
    }

    String table() {
        return access.table();
    }

    /** For messages of callers that don't know where it was found. */
    String tableAsSet() {
        return (schema() == null ? "" : schema() + ".") + table();
    }

    boolean createsTable() {
        return createTable;
    }

    CallTimeout callTimeout() {
        return callTimeout;
    }
}
