// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.support.Durability;

/**
 * What must hold of the server behind a connection, and of its session. The server is asked over each connection, and again after a
 * minute: it may have been restarted with other settings since, or be told others while it runs. What a session shows is asked at each call
 * of one that a pool lends: its last user may have left it otherwise.
 */
final class ConnectionCheck {
    private static final System.Logger LOG = System.getLogger(ConnectionCheck.class.getName());

    /** What was warned of. */
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    /** One row if the records of an H2 are nowhere but in its process; there are layers of files before the one that tells. */
    private static final String IN_MEMORY = "SELECT 'it is in memory' WHERE DATABASE_PATH() IS NULL"
            + " OR REGEXP_LIKE(DATABASE_PATH(), '^([a-z0-9]+:)*(nio)?mem(FS|LZF):', 'i')";

    /** A journal that was deleted may come back after a power cut, since its folder was not forced to the disk, and undo the last commit. */
    private static final String DELETED_JOURNAL = "SELECT 'it is deleted' FROM pragma_journal_mode, pragma_synchronous"
            + " WHERE journal_mode = 'delete' AND synchronous = 2";

    /** What makes commits durable. */
    private static final Map<String, String> DURABLE = Map.ofEntries(
            Map.entry("fsync", "on"),
            Map.entry("synchronous_commit", "on"),
            Map.entry("innodb_flush_log_at_trx_commit", "1"),
            Map.entry("sync_binlog", "1"),
            Map.entry("WRITE_DELAY", "0"),
            Map.entry("hsqldb.write_delay", "false"),
            Map.entry("hsqldb.log_data", "true"),
            Map.entry("synchronous", "FULL"),
            Map.entry("journal_mode", "WAL"),
            Map.entry("forced_writes", "on"),
            Map.entry("delayed_durability", "DISABLED"));

    private final DatabaseCall call;
    private final JdbcSettings settings;
    private final JdbcSettings.Accepted accepted;
    private final Dialect dialect;

    ConnectionCheck(DatabaseCall call) {
        this.call = call;
        this.settings = call.settings();
        this.accepted = settings.access().accepted();
        this.dialect = call.dialect();
    }

    /** @throws CoordinatorException if it must not be used */
    void require() throws SQLException {
        requireCommittedReads();
        requireSharedWrites();
        if (dialect == Dialect.MARIADB && CausalReads.require(call.connection())) {
            call.noteOneOfSeveral();
        }
        boolean inMemory = dialect == Dialect.H2 ? !call.only(IN_MEMORY).isEmpty() : LocalDatabase.isInMemory(url());
        if (LocalDatabase.isOfThisMachine(url())) {
            requireChosen();
            if (inMemory) {
                requireInMemoryAccepted();
                return;
            }
            warn("this " + call.connection().getMetaData().getDatabaseProductName()
                    + " is of this machine alone. Other machines see nothing of it, and would use the same worker"
                    + " ids. Use a database that all processes share.");
        }
        if (inMemory) {
            requireAccepted("it is in memory", "a database that is kept in files");
        }
        String untested = dialect.untested(call.only(dialect.version()));
        if (!untested.isEmpty()) {
            warn("this database is " + untested + ", on which this coordinator was not tested. Run snowflake-operator"
                    + " check with these settings: it says whether the database keeps what the coordinator needs.");
        }
        requireDurable();
        if (!inMemory) {
            warnOfPowerCuts();
        }
        if (untested.isEmpty()) {
            String follows = follows();
            if (!follows.isEmpty()) {
                requireNoFollower(follows);
            }
        }
    }

    private void requireDurable() throws SQLException {
        String doubts = call.only(dialect.questions().doubts());
        if (!doubts.isEmpty()) {
            requireAccepted(
                    doubts,
                    Stream.of(doubts.split(", ", -1))
                            .map(doubt -> doubt.substring(0, doubt.indexOf('=')))
                            .map(name -> name + "=" + DURABLE.get(name))
                            .collect(Collectors.joining(" and ")));
        }
    }

    /** Processes that are killed lose nothing there. */
    private void warnOfPowerCuts() throws SQLException {
        if (dialect == Dialect.H2) {
            warn("H2 does not wait for the disk: after a power cut of its machine it may lack the last commits. Use"
                    + " another database where ids must be unique after that.");
        } else if (dialect == Dialect.SQLITE && !call.only(DELETED_JOURNAL).isEmpty()) {
            warn(
                    "SQLite has journal_mode=delete and synchronous=FULL: after a power cut it may undo the last commit. Set"
                            + " journal_mode=WAL.");
        }
    }

    private String follows() throws SQLException {
        String query = dialect.follows(call.connection().getMetaData().getDatabaseMajorVersion());
        return query.isEmpty()
                ? ""
                : call.only(query, call.table().schema(), call.table().name());
    }

    /**
     * A server that takes over what another one writes has it late, and may replace its own by it. It may be about to be promoted.
     *
     * @param sign by which it shows that
     * @throws CoordinatorException unless that is accepted
     */
    void requireNoFollower(String sign) {
        String complaint = complaint(
                "it takes over what another server writes (" + sign + ")",
                settings.access().url() == null
                        ? JdbcSettings.DATA_SOURCE + " to one that leads to the primary"
                        : JdbcSettings.URL + " to the primary's");
        if (accepted.durability() == Durability.REQUIRE) {
            throw new CoordinatorException(complaint, false);
        }
        warn(complaint);
    }

    /** @throws CoordinatorException if this session may show what is not, or no longer, so, or may lose what is written */
    void requireGoodSession() throws SQLException {
        requireCommittedReads();
        requireSharedWrites();
        if (dialect == Dialect.SQLITE) {
            requireDurable();
        }
        if (call.isOneOfSeveral()) {
            boolean unused = CausalReads.require(call.connection());
        }
    }

    /** What is read may be kept here, and must not be undone afterwards. PostgreSQL takes READ UNCOMMITTED for READ COMMITTED. */
    private void requireCommittedReads() throws SQLException {
        if (dialect != Dialect.POSTGRESQL && readsUncommitted()) {
            throw new CoordinatorException(
                    "connections have the isolation READ UNCOMMITTED, by which is read what may be undone. Set the isolation "
                            + (settings.access().url() == null ? "of the data source" : "in " + JdbcSettings.URL)
                            + " to READ COMMITTED or higher.",
                    true);
        }
    }

    private boolean readsUncommitted() throws SQLException {
        Connection connection = call.connection();
        // Its driver fails where the session shows no rows: sql_select_limit.
        return connection.getMetaData().getDatabaseProductName().equals("MariaDB")
                ? call.only("SELECT @@tx_isolation").equals("READ-UNCOMMITTED")
                : connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED;
    }

    private void requireSharedWrites() throws SQLException {
        if (dialect == Dialect.MARIADB && call.only("SELECT @@sql_log_bin").equals("0")) {
            throw new CoordinatorException(
                    "this session writes for its server alone (sql_log_bin=0): no replica, and no other node of a cluster,"
                            + " gets what is acknowledged. Let no application leave its sessions so, or name a data source"
                            + " of another one in " + JdbcSettings.DATA_SOURCE + ".",
                    true);
        }
    }

    private String url() throws SQLException {
        return call.connection().getMetaData().getURL();
    }

    /** Servers come with a database of their own, which no other process sees. */
    private void requireChosen() throws SQLException {
        if (settings.isOfTheServer()) {
            throw new CoordinatorException(
                    "this database was not chosen, and it is of this server alone ("
                            + JdbcSettings.URL.shown(url())
                            + "): others would use the same worker ids. Name the application's data source in "
                            + JdbcSettings.DATA_SOURCE + ".",
                    true);
        }
    }

    private void requireInMemoryAccepted() throws SQLException {
        if (dialect != Dialect.H2) {
            throw new CoordinatorException(JdbcSettings.URL.shown(url()) + " " + LocalDatabase.IS_IN_MEMORY, true);
        }
        if (accepted.inMemory() == JdbcSettings.InMemory.REFUSE) {
            throw new CoordinatorException(JdbcSettings.IN_MEMORY_REFUSED, true);
        }
    }

    /** @param remedy what to set */
    private void requireAccepted(String seen, String remedy) {
        String complaint = complaint(seen, remedy);
        if (accepted.durability() == Durability.REQUIRE) {
            throw new CoordinatorException(complaint, true);
        }
        warn(complaint);
    }

    private String complaint(String seen, String remedy) {
        return accepted.durability().complaint(seen, "the database", remedy, JdbcSettings.DURABILITY);
    }

    private void warn(String danger) {
        String place = "jdbc (" + settings.access() + "): " + danger;
        if (WARNED.add(place)) {
            LOG.log(Level.WARNING, "snowflake '" + settings.generator() + "': " + place);
        }
    }
}
