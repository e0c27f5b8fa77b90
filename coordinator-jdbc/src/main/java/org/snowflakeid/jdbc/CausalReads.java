// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.CoordinatorException;

/** Whether a server of MariaDB or MySQL that is one of several shows what another of them has acknowledged. */
final class CausalReads {

    private static final String ROWS = "sql_select_limit";

    /** Of the server, where the session has switched it off for itself. */
    private static final String EVERYWHERE = "global.wsrep_on";

    private CausalReads() {}

    /**
     * @return whether that is up to the session: the server is, or may be, one of several
     * @throws CoordinatorException if this connection may show what is out of date
     */
    static boolean require(Connection connection) throws SQLException {
        Map<String, String> values = variables(connection);
        String complaint = staleReads(values);
        if (!complaint.isEmpty()) {
            throw new CoordinatorException(complaint, true);
        }
        return isGalera(values) || isOfGroup(values) || hasSeveralPrimaries(values);
    }

    /**
     * As the session has them, and {@link #EVERYWHERE} as the server has it.
     *
     * @throws SQLException if the session may not show all
     */
    static Map<String, String> variables(Connection connection) throws SQLException {
        Map<String, String> values = new HashMap<>();
        try (Statement statement = connection.createStatement()) {
            // MySQL takes what comes first for a comment.
            show(
                    statement,
                    "/*M! SET STATEMENT sql_select_limit=DEFAULT FOR */ SHOW VARIABLES WHERE Variable_name LIKE 'wsrep%'"
                            + " OR Variable_name LIKE 'group_replication%' OR Variable_name = '" + ROWS + "'",
                    values);
            String most = values.get(ROWS);
            if (most == null || Long.compareUnsigned(values.size(), Long.parseUnsignedLong(most)) >= 0) {
                throw new SQLException("the session shows no more than " + values.size()
                        + " of its variables: it was left with another " + ROWS);
            }
            if (hasProvider(values) && !isOn(values, "wsrep_on")) {
                Map<String, String> everywhere = new HashMap<>();
                show(statement, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'", everywhere);
                everywhere.values().forEach(value -> values.put(EVERYWHERE, value));
            }
        }
        return values;
    }

    private static void show(Statement statement, String sql, Map<String, String> values) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.put(rows.getString(1), rows.getString(2));
            }
        }
    }

    private static boolean isOn(Map<String, String> values, String variable) {
        return "ON".equals(values.get(variable));
    }

    private static boolean hasProvider(Map<String, String> values) {
        return !values.getOrDefault("wsrep_provider", "none").equals("none");
    }

    private static boolean isGalera(Map<String, String> values) {
        return hasProvider(values) && (isOn(values, "wsrep_on") || isOn(values, EVERYWHERE));
    }

    private static boolean isOfGroup(Map<String, String> values) {
        return !values.getOrDefault("group_replication_group_name", "").isEmpty();
    }

    private static boolean hasSeveralPrimaries(Map<String, String> values) {
        return "OFF".equals(values.get("group_replication_single_primary_mode"));
    }

    /**
     * Why a server with these variables may answer before it has applied what another of its cluster has acknowledged; empty if it does
     * not.
     */
    static String staleReads(Map<String, String> values) {
        if (isGalera(values) && !isOn(values, "wsrep_on")) {
            return "this is a session of a node of a Galera cluster, and writes for that node alone (wsrep_on=OFF). Let no"
                    + " application leave its sessions so, or name a data source of another one in "
                    + JdbcSettings.DATA_SOURCE + ".";
        }
        if (isGalera(values) && isOn(values, "wsrep_dirty_reads")) {
            return "this is a node of a Galera cluster, and answers also when it has lost its cluster"
                    + " (wsrep_dirty_reads=ON). Set wsrep_dirty_reads to OFF for this user's sessions.";
        }
        String syncWait = values.getOrDefault("wsrep_sync_wait", "0");
        if (isGalera(values) && Integer.parseInt(syncWait) % 2 == 0) {
            return "this is a node of a Galera cluster, and may answer with what is out of date (wsrep_sync_wait="
                    + syncWait
                    + "). Set wsrep_sync_wait to 1 for this user's sessions, in the URL by"
                    + " sessionVariables=wsrep_sync_wait=1.";
        }
        String consistency = values.getOrDefault("group_replication_consistency", "EVENTUAL");
        if (hasSeveralPrimaries(values) && !consistency.equals("BEFORE") && !consistency.equals("BEFORE_AND_AFTER")) {
            // Also while it is in no group: it may join one later, and is not asked again then.
            return "this is a member of a replication group with several primaries, or is configured to be one, and may"
                    + " answer with what is out of date (group_replication_consistency=" + consistency
                    + "). Set group_replication_consistency to BEFORE for this user's sessions, in the URL by"
                    + " sessionVariables=group_replication_consistency='BEFORE'.";
        }
        if (isOfGroup(values) && !hasSeveralPrimaries(values) && consistency.equals("EVENTUAL")) {
            // A new primary takes reads and writes before it has applied what the last one acknowledged, and does not
            // call itself a replica then.
            return "this is a member of a replication group, or is configured to be one, and after a failover may answer"
                    + " with what is out of date (group_replication_consistency=EVENTUAL)."
                    + " Set group_replication_consistency to BEFORE_ON_PRIMARY_FAILOVER for this user's sessions, in the"
                    + " URL by sessionVariables=group_replication_consistency='BEFORE_ON_PRIMARY_FAILOVER'.";
        }
        return "";
    }
}
