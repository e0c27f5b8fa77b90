// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connections to a database by URL: few are set up at a time, and each is kept after its call for those that follow. */
final class KeptConnections {

    /** How long a step of setting up a connection may take, also if the call for which it began is over by then. */
    private static final int SET_UP_MILLIS = 15_000;

    /** The first of these steps needs no work of the database, and where several hosts are named it is the next one's turn then. */
    private static final int REACH_MILLIS = 5_000;

    /** A database that is slow would be slower by more of them. */
    private static final int MAX_SET_UPS = 2;

    /** For which a connection is. */
    interface Call {
        /** @throws SQLException if it is over */
        void requireTime() throws SQLException;

        /** At least one. */
        int leftMillis();

        /** Makes it this call's, or leaves it to those who come after if this call is over. */
        Connection use(Connection taken) throws SQLException;
    }

    private record Idle(Connection connection, long sinceNanos) {}

    /** The one that was used last comes first. Guarded by itself. */
    private final Deque<Idle> idle = new ArrayDeque<>();

    /** Calls that are setting up a connection, each with since when. Guarded by {@link #idle}. */
    private final Map<Call, Long> settingUp = new HashMap<>();

    /** Guarded by {@link #idle}. */
    private boolean over;

    Connection take(JdbcSettings settings, Call call) throws SQLException, InterruptedException {
        Connection kept = takeIdle(call);
        if (kept != null) {
            return call.use(kept);
        }
        try {
            return call.use(connect(settings, String.valueOf(settings.access().url()), call.leftMillis()));
        } finally {
            synchronized (idle) {
                settingUp.remove(call);
                idle.notifyAll();
            }
        }
    }

    /** @return null if this call is to set one up */
    private @Nullable Connection takeIdle(Call call) throws SQLException, InterruptedException {
        synchronized (idle) {
            while (true) {
                call.requireTime();
                if (over) {
                    throw new SQLException("the coordinator is closed");
                }
                Idle last = idle.pollFirst();
                if (last != null) {
                    return last.connection();
                }
                long now = System.nanoTime();
                // A driver without a timeout of its own may never end.
                settingUp.values().removeIf(since -> now - since > SharedDatabase.FORGOTTEN_NANOS);
                if (settingUp.size() < MAX_SET_UPS) {
                    settingUp.put(call, now);
                    return null;
                }
                idle.wait(call.leftMillis() + TimeUnit.NANOSECONDS.toMillis(SharedDatabase.GRACE_NANOS));
            }
        }
    }

    /** @param callMillis what is left of the call for which it is */
    private static Connection connect(JdbcSettings settings, String url, int callMillis) throws SQLException {
        Properties properties = new Properties();
        String user = settings.access().login().user();
        if (user != null) {
            properties.setProperty("user", user);
        }
        String password = settings.password();
        if (password != null) {
            properties.setProperty("password", password);
        }
        if (url.startsWith("jdbc:postgresql:")) {
            properties.setProperty("connectTimeout", seconds(Math.max(REACH_MILLIS, callMillis)));
            properties.setProperty("socketTimeout", seconds(Math.max(SET_UP_MILLIS, callMillis)));
            properties.setProperty("ApplicationName", "snowflake");
        } else if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
            // The first one holds for the login too.
            String millis = Integer.toString(Math.max(SET_UP_MILLIS, callMillis));
            properties.setProperty("connectTimeout", millis);
            properties.setProperty("socketTimeout", millis);
        }
        Driver driver = DatabaseUrl.driver(url).orElseThrow(() -> new SQLException("no driver for this URL"));
        Connection connection = driver.connect(url, properties);
        if (connection == null) {
            throw new SQLException("the driver refuses this URL");
        }
        try {
            commitEachStatement(connection);
            return connection;
        } catch (SQLException | RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    private static String seconds(int millis) {
        return Integer.toString((millis + 999) / 1_000);
    }

    /**
     * Whatever URL, driver and server have made of auto-commit. It is turned off first, since a driver that wrongly believes that it is on
     * sends nothing to turn it on.
     */
    static void commitEachStatement(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.rollback();
        connection.setAutoCommit(true);
    }

    void putBack(Connection connection, boolean usable) {
        if (usable) {
            synchronized (idle) {
                if (!over) {
                    idle.addFirst(new Idle(connection, System.nanoTime()));
                    idle.notifyAll();
                    return;
                }
            }
        }
        close(connection);
        if (!usable) {
            // Those beside it may have ended with it.
            closeIdle(0);
        }
    }

    /** From now on none is taken, and none kept. */
    void close() {
        synchronized (idle) {
            over = true;
            idle.notifyAll();
        }
    }

    /** @param seconds since when a connection has not been used; all of them if none will be used again */
    void closeIdle(long seconds) {
        List<Idle> old = new ArrayList<>();
        synchronized (idle) {
            for (Idle each : idle) {
                if (over || System.nanoTime() - each.sinceNanos() >= TimeUnit.SECONDS.toNanos(seconds)) {
                    old.add(each);
                }
            }
            idle.removeAll(old);
        }
        old.forEach(each -> close(each.connection()));
    }

    static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is of no use any more either way.
        }
    }
}
