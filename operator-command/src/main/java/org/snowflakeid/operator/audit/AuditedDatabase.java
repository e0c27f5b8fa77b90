// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Properties;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.Key;

/** A database by its URL. Its connections only read, and messages about it show no password. */
public final class AuditedDatabase {

    private static final Key<String> URL = Key.address("--url", "a JDBC URL").meaning("The database.");

    private static final Pattern PASSWORD_IN_URL =
            Pattern.compile("(?i)(?:passw(?:or)?d|pwd|secret|token)=([^&;,)]+)|//[^/@:?]*:([^/@]+)@");

    /** As long as a chunk of a table without an index may take; a connection that is silent for longer is lost. */
    private static final int SILENT_MILLIS = 600_000;

    private static final int VALIDATION_SECONDS = 5;

    private static final String CONFLICT = "40001";

    /** By an administrator, or by a limit of the server. */
    private static final String CANCELLED = "57014";

    /** Of most databases, and of H2. */
    private static final Set<String> FORBIDDEN = Set.of("42501", "90096");

    /** Where the SQLSTATE says nothing. MySQL has the same. */
    private static final int MARIADB_FORBIDDEN = 1142;

    private final String url;
    private final @Nullable String user;
    private final @Nullable Path passwordFile;

    /** @param passwordFile read anew for each connection; a line end after the password does not belong to it */
    public AuditedDatabase(String url, @Nullable String user, @Nullable Path passwordFile) {
        this.url = url;
        this.user = user;
        this.passwordFile = passwordFile;
    }

    /** The URL without credentials. */
    public String place() {
        return URL.shown(url);
    }

    /** @throws AuditRefusedException if no driver knows the URL */
    public void requireDriver() {
        if (!url.startsWith("jdbc:")) {
            throw AuditRefusedException.wrongUse("--url " + place()
                    + " is not a JDBC URL. Write one such as jdbc:postgresql://localhost:5432/shop.");
        }
        try {
            DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw AuditRefusedException.wrongUse("--url " + place()
                    + " is understood by no driver on the class path. The jar has that of PostgreSQL; name another beside"
                    + " it: java -cp snowflake-operator.jar:mariadb-java-client.jar org.snowflakeid.operator.OperatorCommand"
                    + " audit …");
        }
    }

    /** A new connection, in which every transaction only reads, where the database can promise that. */
    Connection open() throws SQLException {
        Properties login = new Properties();
        if (user != null) {
            login.setProperty("user", user);
        }
        if (passwordFile != null) {
            login.setProperty("password", password(passwordFile));
        }
        Connection connection = DriverManager.getConnection(url, login);
        try {
            readOnly(connection);
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    private static void readOnly(Connection connection) {
        try {
            connection.setReadOnly(true);
        } catch (SQLException e) {
            // SQLite wants to be told by its URL. What is sent are queries only.
        }
        try {
            connection.setNetworkTimeout(Runnable::run, SILENT_MILLIS);
        } catch (SQLException | AbstractMethodError | UnsupportedOperationException e) {
            // An embedded database has no network.
        }
    }

    private static String password(Path file) {
        try {
            return Files.readString(file).replaceFirst("\\R\\z", "");
        } catch (IOException e) {
            throw AuditRefusedException.wrongUse(
                    "--password-file " + file + " is not a readable file. Name one that this process can read.");
        }
    }

    /** Whether another connection may succeed where this one failed. */
    static boolean isLost(SQLException e, Connection connection) {
        // A replica that had to choose between its primary's changes and this reader.
        if (CONFLICT.equals(e.getSQLState())) {
            return true;
        }
        try {
            return !connection.isValid(VALIDATION_SECONDS);
        } catch (SQLException gone) {
            return true;
        }
    }

    static boolean refusesLogin(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("28");
    }

    AuditRefusedException unreachable(SQLException e) {
        return AuditRefusedException.failed("The database " + place() + " can't be used: " + words(e)
                + ". Check --url, --user and --password-file.");
    }

    AuditRefusedException unreadable(AuditedColumn column, SQLException e) {
        return AuditRefusedException.failed("The column " + column.name() + " of " + column.table() + " at " + place()
                + " can't be read: " + words(e) + "." + remedy(e));
    }

    private static String remedy(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        if (state.equals(CANCELLED)) {
            return " Lower --chunk, so that a statement takes less time.";
        }
        return FORBIDDEN.contains(state) || e.getErrorCode() == MARIADB_FORBIDDEN
                ? " Grant this user SELECT on the table."
                : "";
    }

    /** The first line of what a driver says, without secrets. */
    String words(Throwable e) {
        String words = String.valueOf(e.getMessage() == null ? e : e.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .replaceFirst("\\.\\s*\\z", "")
                .replace(url, place());
        for (String secret : secrets()) {
            words = words.replace(secret, "***");
        }
        return words;
    }

    private Set<String> secrets() {
        Set<String> secrets = new LinkedHashSet<>();
        for (MatchResult found : PASSWORD_IN_URL.matcher(url).results().toList()) {
            secrets.add(found.group(1) == null ? found.group(2) : found.group(1));
        }
        if (passwordFile != null && Files.isReadable(passwordFile)) {
            secrets.add(password(passwordFile));
        }
        secrets.remove("");
        return secrets;
    }
}
