// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.support.Handshakes;
import org.snowflakeid.support.RequestFailure;

/**
 * A call that failed, and what is certain about it, by SQLSTATE: classes of exceptions differ from driver to driver. Pools wrap the
 * driver's exception, so this looks at all causes.
 */
final class JdbcFailure extends RequestFailure {
    private static final long serialVersionUID = 1L;

    /** No such table, or in H2 no such schema. */
    private static final Set<String> ABSENT = Set.of("42P01", "42S02", "42S03", "42S04", "90079");

    private static final Set<String> READ_ONLY = Set.of("25006", "90097");

    private static final Set<String> FORBIDDEN = Set.of("42501", "90096");

    /** MariaDB, where HY000 and 42000 say nothing: --read-only, and read-only by a super user or InnoDB. */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1792, 1836, 1874);

    /** MariaDB: a denied command, column, privilege, or table. */
    private static final Set<Integer> FORBIDDEN_CODES = Set.of(1142, 1143, 1227, 1370);

    /** Schemas and parameters that the database does not have, as the session begins or later. */
    private static final Set<String> ABSENT_OPTIONS = Set.of("3F000", "42704", "22023");

    /**
     * H2, whose URL can't be used: a relative path, a file that can't be read or made, no such schema, mode, or parameter, no such database.
     * And MariaDB's unknown variables, and values that they don't take.
     */
    private static final Set<Integer> ABSENT_OPTION_CODES =
            Set.of(90011, 90028, 90031, 90062, 90079, 90088, 90113, 90146, 90149, 1193, 1231);

    /** A server of PostgreSQL that does not have what its driver prepared, or has it from another one. */
    private static final Set<String> NOT_PREPARED = Set.of("26000", "42P05");

    /** MariaDB: a column that needs a value, and a check, where its SQLSTATE says nothing. */
    private static final Set<Integer> REFUSED_ROW_CODES = Set.of(1364, 4025);

    /** By a constraint, and by what a trigger raised. */
    private static final Set<String> REFUSED_ROW_CLASSES = Set.of("23", "45", "P0");

    private static final String ROW_SECURITY = "row-level security";

    /** The driver of PostgreSQL, with the SQLSTATE of a server that can't be talked to. */
    private static final String NO_PASSWORD = "no password was provided";

    /** MariaDB's and MySQL's account that is locked, where the SQLSTATE says nothing. */
    private static final Set<Integer> LOCKED_CODES = Set.of(4151, 3118);

    /** MariaDB, MySQL: a host or a user that is blocked after logins that failed. */
    private static final Set<Integer> BLOCKED_CODES = Set.of(1129, 4150);

    private static final int UNKNOWN_DATABASE = 1049;
    private static final int DENIED_DATABASE = 1044;

    /** Of 23000: MariaDB, Oracle (ORA-00001), SQL Server (as a primary key, or as an index) and Firebird. SQLite's driver has no SQLSTATE. */
    private static final Set<Integer> DUPLICATES = Set.of(1062, 1, 2627, 2601, 335544665);

    private static final int SQLITE_CONSTRAINT = 19;

    /** A lock that it did not get, or a deadlock: MariaDB (in SQL Server the deadlock), SQL Server, Oracle. */
    private static final Set<Integer> LOCKED_OUT = Set.of(1205, 1222, 60);

    /** By Oracle and SQL Server. MariaDB and MySQL, whose SQLSTATE is the general one then, have the first for a file that is gone. */
    private static final Set<Integer> REFUSED_LOGINS = Set.of(1017, 18456);

    /**
     * By these, or their first two characters, a database says that it rolled back a statement that was a transaction by itself: wrong
     * data, syntax or rights, a read-only database, a conflict, a lock that it did not get, a cancelled statement. After all others the
     * statement may have been committed: after 08… and 40003, and after 57P01 and 58030 too.
     */
    private static final Set<String> UNDONE = Set.of(
            "22", "23", "26", "42", "45", "P0", "25006", "90097", "90096", "40001", "40P01", "40XL1", "40XL2", "55P03",
            "57014", "57033", "HYT00");

    private static final Handshakes HANDSHAKES = new Handshakes(
            "the parameters of the URL or of the data source that name its authority",
            "the parameters of the URL or of the data source that name it");

    private JdbcFailure(boolean nothingChanged, CoordinatorException exception) {
        super(exception, nothingChanged);
    }

    /** @param sent whether a change may have left this process */
    static JdbcFailure interrupted(JdbcSettings settings, InterruptedException e, boolean sent) {
        return new JdbcFailure(!sent, exception(settings, "the call was interrupted", e, false));
    }

    /**
     * @param seen of a call without a change
     * @param sent whether a change may have left this process
     */
    static JdbcFailure late(JdbcSettings settings, String seen, @Nullable Throwable cause, boolean sent) {
        String text = "jdbc (" + settings.access() + ") does not answer in time ("
                + (sent ? "the request was sent" : seen) + "). " + remedy(settings);
        return new JdbcFailure(!sent, withoutSecrets(settings, text, cause, false));
    }

    /**
     * @param seen of a call without a change, if it was late
     * @param sent whether a change may have left this process
     */
    static JdbcFailure of(JdbcSettings settings, Throwable e, String seen, boolean sent) {
        List<Throwable> chain = Handshakes.causes(e);
        for (Throwable each : chain) {
            if (each instanceof CoordinatorException known) {
                return new JdbcFailure(
                        true, exception(settings, String.valueOf(known.getMessage()), e, known.permanent()));
            }
            if (each instanceof InvalidSettingsException settingsChanged) {
                // A file that was replaced, and perhaps only in part so far.
                return new JdbcFailure(
                        true, new CoordinatorException(String.valueOf(settingsChanged.getMessage()), e, false));
            }
        }
        if (chain.stream().anyMatch(SocketTimeoutException.class::isInstance)) {
            return late(settings, seen, e, sent);
        }
        SQLException said = chain.stream()
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .filter(each -> each.getSQLState() != null)
                .reduce((outer, inner) -> inner)
                .orElse(new SQLException(firstLine(e), ""));
        String wrong = Handshakes.refusal(chain)
                .map(refusal -> "the database " + HANDSHAKES.complaint(refusal, "", firstLine(refusal)))
                .orElseGet(() -> wrongSetting(settings, said));
        boolean undone = UNDONE.contains(state(said))
                || UNDONE.contains(stateClass(said))
                || READ_ONLY_CODES.contains(said.getErrorCode())
                || REFUSED_ROW_CODES.contains(said.getErrorCode())
                || LOCKED_OUT.contains(said.getErrorCode());
        if (READ_ONLY.contains(state(said)) || READ_ONLY_CODES.contains(said.getErrorCode())) {
            // It may be the next primary.
            return new JdbcFailure(true, exception(settings, readOnly(firstLine(said)), e, false));
        }
        // A driver quotes a URL that it can't read. A server's answer has an SQLSTATE.
        boolean unreadable =
                state(said).isEmpty() && quotes(chain, settings.access().url());
        CoordinatorException exception = wrong.isEmpty()
                ? exception(settings, answer(chain, said) + ". " + remedy(settings), e, unreadable)
                : exception(settings, wrong, e, true);
        return new JdbcFailure(!sent || undone, refusesLogin(said) ? exception.withLoginRefused() : exception);
    }

    private static CoordinatorException exception(
            JdbcSettings settings, String text, Throwable cause, boolean permanent) {
        return withoutSecrets(settings, "jdbc (" + settings.access() + "): " + text, cause, permanent);
    }

    private static CoordinatorException withoutSecrets(
            JdbcSettings settings, String text, @Nullable Throwable cause, boolean permanent) {
        List<Throwable> causes = cause == null ? List.of() : Handshakes.causes(cause);
        String said = Stream.concat(Stream.of(text), causes.stream().map(Throwable::getMessage))
                .collect(Collectors.joining("\n"));
        String shown = text;
        boolean harmless = true;
        for (Map.Entry<String, String> secret :
                QuotedSecrets.in(said, settings.access()).entrySet()) {
            shown = shown.replace(secret.getKey(), secret.getValue());
            harmless &= !quotes(causes, secret.getKey());
        }
        return cause == null || !harmless
                ? new CoordinatorException(shown, permanent)
                : new CoordinatorException(shown, cause, permanent);
    }

    private static boolean quotes(List<Throwable> chain, @Nullable String text) {
        return text != null
                && chain.stream()
                        .anyMatch(each -> String.valueOf(each.getMessage()).contains(text));
    }

    /** A problem that waiting can't cure, and its remedy; empty if it can. */
    private static String wrongSetting(JdbcSettings settings, SQLException said) {
        String state = state(said);
        int code = said.getErrorCode();
        String words = firstLine(said);
        boolean byUrl = settings.access().url() != null;
        if (isWrongLogin(said)) {
            return "the database refuses the login: " + words + ". Check "
                    + (byUrl
                            ? JdbcSettings.USER + " and "
                                    + settings.access().login().passwordKey()
                            : "the data source's user and password")
                    + ", and whom the database lets in.";
        }
        if (state.equals("3D000") || code == UNKNOWN_DATABASE || code == DENIED_DATABASE) {
            return "there is no such database, or none for this user: " + words + ". Check "
                    + (byUrl ? JdbcSettings.URL + " and " + JdbcSettings.USER : "the data source") + ".";
        }
        if (ABSENT_OPTIONS.contains(state) || ABSENT_OPTION_CODES.contains(code)) {
            return "the connection asks for what the database does not have: " + words + ". Correct "
                    + (byUrl ? JdbcSettings.URL.toString() : "the URL of the data source")
                    + ", and see whether there is the schema that it or " + JdbcSettings.SCHEMA + " names.";
        }
        if (NOT_PREPARED.contains(state)) {
            return "a pooler between this process and the database mixes its connections' statements up: " + words
                    + ". Add prepareThreshold=0 to the URL, or let the pooler pool by session.";
        }
        if (REFUSED_ROW_CODES.contains(code)
                || REFUSED_ROW_CLASSES.contains(stateClass(said))
                || words.contains(ROW_SECURITY)) {
            return "the table " + settings.tableAsSet() + " refuses what is written: " + words + ". " + UNCHANGED;
        }
        if (FORBIDDEN.contains(state) || FORBIDDEN_CODES.contains(code)) {
            return "the database forbids this user what is needed: " + words + ". Grant SELECT, INSERT and UPDATE on "
                    + settings.tableAsSet() + ", and the use of its schema.";
        }
        if (state.equals("42703") || state.equals("42S22")) {
            return "the table " + settings.tableAsSet() + " is of another version, or another application's: " + words
                    + ". Name a schema in " + JdbcSettings.SCHEMA + " where it is this coordinator's.";
        }
        if (stateClass(said).equals("22")) {
            return "the database can't store this text: " + words + ". Use a database of an encoding that holds all of"
                    + " Unicode.";
        }
        return "";
    }

    private static boolean isWrongLogin(SQLException said) {
        return state(said).startsWith("28")
                || (REFUSED_LOGINS.contains(said.getErrorCode()) && !state(said).equals("HY000"))
                || LOCKED_CODES.contains(said.getErrorCode())
                || firstLine(said).contains(NO_PASSWORD);
    }

    private static boolean refusesLogin(SQLException said) {
        return isWrongLogin(said) || BLOCKED_CODES.contains(said.getErrorCode());
    }

    /** The remedy for a table that was changed. */
    static final String UNCHANGED =
            "Remove what was added to the table (a column without a default, a constraint, a trigger,"
                    + " row-level security), or let this user pass it.";

    static String readOnly(String words) {
        return "the database is a replica, or read-only: " + words
                + ". Name the primary, which can be written, and which all processes share.";
    }

    private static String answer(List<Throwable> chain, SQLException said) {
        String state = state(said).isEmpty() ? "" : " (SQLSTATE " + state(said) + ")";
        String outer = firstLine(chain.get(0));
        String inner = firstLine(said);
        return "the database could not be used: "
                + (outer.isEmpty() || outer.contains(inner) ? outer : outer + ", " + inner) + state;
    }

    private static String remedy(JdbcSettings settings) {
        return settings.access().url() == null
                ? "Check the data source, its pool's size and the database."
                : "Check " + JdbcSettings.URL + " and the database.";
    }

    private static String firstLine(Throwable t) {
        String words = String.valueOf(t.getMessage() == null ? t : t.getMessage());
        return words.lines().findFirst().orElse("").replaceFirst("\\.\\s*\\z", "");
    }

    private static String state(SQLException e) {
        return String.valueOf(e.getSQLState());
    }

    private static String stateClass(SQLException e) {
        return state(e).length() < 5 ? "" : state(e).substring(0, 2);
    }

    static boolean saysAbsent(SQLException e) {
        return ABSENT.contains(state(e));
    }

    static boolean saysDuplicate(SQLException e) {
        return state(e).equals("23505")
                || (state(e).equals("23000") && DUPLICATES.contains(e.getErrorCode()))
                || (e.getSQLState() == null
                        && e.getErrorCode() == SQLITE_CONSTRAINT
                        && String.valueOf(e.getMessage()).contains("PRIMARYKEY"));
    }

    static boolean saysForbidden(SQLException e) {
        return FORBIDDEN.contains(state(e)) || FORBIDDEN_CODES.contains(e.getErrorCode());
    }
}
