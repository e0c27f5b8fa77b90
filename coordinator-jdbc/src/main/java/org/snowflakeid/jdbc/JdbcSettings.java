// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
                    "is longer than 63 characters. Shorten it: PostgreSQL keeps no more of a name.",
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
            DatabaseUrl.check(reader, url, accepted.inMemory());
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
