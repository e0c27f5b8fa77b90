// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
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

    /** As long as a chunk of a table without an index may take. */
    private static final Duration LONGEST_STATEMENT = Duration.ofMinutes(10);

    /** A connection that is silent for so much longer is lost. The server must have ended the statement by then, or it runs on. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final int VALIDATION_SECONDS = 5;

    /** A server that lets a connection in, and then says nothing, is not waited for. */
    private static final int LOGIN_SECONDS = 10;

    private static final String POSTGRES = "jdbc:postgresql:";

    private static final String CONFLICT = "40001";

    /** By an administrator, by a limit of the server, or by ours; MariaDB has a state of its own. */
    private static final Set<String> CANCELLED = Set.of("57014", "70100");

    /** Of most databases, and of H2. */
    private static final Set<String> FORBIDDEN = Set.of("42501", "90096");

    /** Where the SQLSTATE says nothing. MySQL has the same. */
    private static final int MARIADB_FORBIDDEN = 1142;

    private final String url;
    private final @Nullable String user;
    private final @Nullable Path passwordFile;
    private final Duration longestStatement;

    /** What was read of it, as far as it may have been sent. */
    private final Set<String> passwords = new LinkedHashSet<>();

    /** A pipe can be read once. */
    private @Nullable String passwordOfPipe;

    /**
     * @param passwordFile read anew for each connection, unless it is a pipe; a line end after the password does not belong to it
     */
    public AuditedDatabase(String url, @Nullable String user, @Nullable Path passwordFile) {
        this(url, user, passwordFile, LONGEST_STATEMENT);
    }

    AuditedDatabase(String url, @Nullable String user, @Nullable Path passwordFile, Duration longestStatement) {
        this.url = url;
        this.user = user;
        this.passwordFile = passwordFile;
        this.longestStatement = longestStatement;
    }

    /** A statement that takes longer is ended by the server. */
    int longestStatementSeconds() {
        return (int) longestStatement.toSeconds();
    }

    /** The URL without credentials. */
    public String place() {
        return URL.shown(url);
    }

    public static boolean holdsPassword(String url) {
        return PASSWORD_IN_URL.matcher(url).find();
    }

    /** What there is to say of a URL with a password; empty if it has none. */
    public Optional<String> exposed() {
        return holdsPassword(url)
                ? Optional.of("--url holds a password: other users of this machine may see it in the list of processes,"
                        + " and the shell may keep it. Give it by --password-file.")
                : Optional.empty();
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
        if (url.startsWith(POSTGRES)) {
            // What the URL says goes before these. Behind a pool of transactions, such as pgbouncer's, the next
            // statement
            // may meet a prepared one of its name that is another's, or none.
            login.setProperty("prepareThreshold", "0");
            login.setProperty("loginTimeout", Integer.toString(LOGIN_SECONDS));
        }
        // For other drivers.
        if (DriverManager.getLoginTimeout() == 0) {
            DriverManager.setLoginTimeout(LOGIN_SECONDS);
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

    private void readOnly(Connection connection) {
        try {
            connection.setReadOnly(true);
        } catch (SQLException e) {
            // SQLite wants to be told by its URL. What is sent are queries only.
        }
        try {
            connection.setNetworkTimeout(
                    Runnable::run, (int) longestStatement.plus(GRACE).toMillis());
        } catch (SQLException | AbstractMethodError | UnsupportedOperationException e) {
            // An embedded database has no network.
        }
    }

    private String password(Path file) {
        String known = passwordOfPipe;
        if (known != null) {
            return known;
        }
        try {
            String password = Files.readString(file).replaceFirst("\\R\\z", "");
            passwordOfPipe = Files.isRegularFile(file) ? null : password;
            passwords.add(password);
            return password;
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
        if (CANCELLED.contains(state)) {
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
        secrets.addAll(passwords);
        // One that was read from a pipe is among those.
        if (passwordFile != null && Files.isRegularFile(passwordFile) && Files.isReadable(passwordFile)) {
            secrets.add(password(passwordFile));
        }
        secrets.remove("");
        return secrets;
    }
}
