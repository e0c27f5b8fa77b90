// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.support.ApplicationThreads;
import org.snowflakeid.support.Shared;

/**
 * Threads and connections of all coordinators that {@linkplain Shared share} them.
 *
 * <ul>
 * <li>A call has a thread of its own, on which no transaction of the application is under way, and which inherits nothing. JDBC can't be
 * interrupted, and a pool has no deadline for one call: when a call exceeds its time, its caller stops waiting and aborts its connection,
 * and the call sends nothing more. Such a thread is never interrupted: H2 would close its files.
 *   <li>A data source lends a connection for each call. One that was opened by URL is kept for a few seconds after its last call, since
 *       several follow each other; so it never gets old enough for a firewall to drop it, or for its password to be replaced.
 *   <li>A connection by URL may take longer to be set up than a call lasts. It goes on without that call, for later ones.
 * </ul>
 */
final class SharedDatabase {

    /** Including threads whose call was given up and still hangs. */
    private static final int MAX_CALLS = 8;

    /** One that hangs for longer takes no other's place any more, as long as there are no more threads than that. */
    private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final int MAX_THREADS = 64;

    private static final long LINGER_SECONDS = 5;

    /** How long a step of setting up a connection may take, also if the call for which it began is over by then. */
    private static final int SET_UP_MILLIS = 15_000;

    /** The first of these steps needs no work of the database, and where several hosts are named it is the next one's turn then. */
    private static final int REACH_MILLIS = 5_000;

    /** More of them would make a slow database slower. */
    private static final int MAX_SET_UPS = 2;

    /** How much later than the driver's own timeout the wait ends, so that the report is normally the driver's. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    static final Shared<JdbcSettings.Access, SharedDatabase> ALL =
            new Shared<>(SharedDatabase::new, SharedDatabase::end);

    private record Idle(Connection connection, long sinceNanos) {}

    interface Work<T> {
        T run(DatabaseCall call) throws SQLException;
    }

    private final JdbcSettings.Access access;
    private final ApplicationThreads threads;
    private final DatabaseCall.Known known = new DatabaseCall.Known();
    private final Semaphore calls = new Semaphore(MAX_CALLS, true);

    /** Calls that were given up and may go on, each with when. Guarded by itself. */
    private final Map<Attempt<?>, Long> hanging = new HashMap<>();

    /** Runs all threads; tests give it none. */
    final ThreadPoolExecutor pool;

    /** The one that was used last comes first. Guarded by itself. */
    private final Deque<Idle> idle = new ArrayDeque<>();

    /** Calls that are setting up a connection, each with since when. Guarded by {@link #idle}. */
    private final Map<Attempt<?>, Long> settingUp = new HashMap<>();

    private volatile boolean over;

    private SharedDatabase(JdbcSettings.Access access, ApplicationThreads threads) {
        this.access = access;
        this.threads = threads;
        ThreadFactory factory = threads.named("snowflake-jdbc");
        this.pool = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                LINGER_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> factory.newThread(() -> untilIdle(task)));
    }

    private void untilIdle(Runnable task) {
        try {
            task.run();
        } finally {
            // The last thread ends that long after the last call, and closes the remaining connections.
            closeIdle(LINGER_SECONDS - 1);
        }
    }

    /** The records' table; empty until it was looked up. */
    String location() {
        Table table = known.table();
        return table == null ? "" : "table " + table;
    }

    private void end() {
        synchronized (idle) {
            over = true;
            idle.notifyAll();
        }
        pool.shutdown();
        threads.awaitEnd(Deadline.after(ApplicationThreads.LONGEST_END));
    }

    /**
     * Runs it in auto-commit mode, on a thread of its own.
     *
     * @throws JdbcFailure which says whether anything may have been changed
     */
    <T> T call(JdbcSettings settings, Duration timeout, Work<T> work) throws JdbcFailure {
        long deadline = System.nanoTime() + settings.callTimeout(timeout).toNanos();
        Attempt<T> attempt = new Attempt<>(settings, deadline, work);
        forgetOld();
        try {
            if (!calls.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw JdbcFailure.late(settings, MAX_CALLS + " earlier calls still wait for an answer", null, false);
            }
            attempt.takePlace();
            Future<T> result = submit(attempt);
            return result.get(deadline + GRACE_NANOS - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw JdbcFailure.interrupted(settings, e, attempt.giveUp());
        } catch (TimeoutException e) {
            boolean connected = attempt.isConnected();
            boolean sent = attempt.giveUp();
            throw JdbcFailure.late(
                    settings, connected ? "nothing was changed" : "no connection was to be had", null, sent);
        } catch (ExecutionException e) {
            throw JdbcFailure.of(settings, e.getCause() == null ? e : e.getCause(), attempt.giveUp());
        }
    }

    /** A driver without a timeout of its own may wait for ever for a server that vanished. */
    private void forgetOld() {
        List<Attempt<?>> old = new ArrayList<>();
        synchronized (hanging) {
            hanging.forEach((attempt, since) -> {
                if (System.nanoTime() - since > FORGOTTEN_NANOS && threads.count() < MAX_THREADS) {
                    old.add(attempt);
                }
            });
            hanging.keySet().removeAll(old);
        }
        old.forEach(Attempt::leavePlace);
    }

    private <T> Future<T> submit(Attempt<T> attempt) {
        try {
            return pool.submit(attempt);
        } catch (RejectedExecutionException e) {
            attempt.leavePlace();
            throw new CoordinatorException("jdbc (" + access + "): the coordinator is closed", e, true);
        } catch (RuntimeException | Error e) {
            // No thread could be started that would leave it later.
            attempt.leavePlace();
            throw e;
        }
    }

    /** One call, which may go on after its caller has stopped waiting for it. */
    private final class Attempt<T> implements Callable<T> {
        private final JdbcSettings settings;
        private final long deadlineNanos;
        private final Work<T> work;

        // Guarded by this.
        private @Nullable Connection connection;
        private boolean sent;
        private boolean givenUp;
        private boolean placed;

        Attempt(JdbcSettings settings, long deadlineNanos, Work<T> work) {
            this.settings = settings;
            this.deadlineNanos = deadlineNanos;
            this.work = work;
        }

        synchronized boolean isConnected() {
            return connection != null;
        }

        /**
         * From now on nothing is sent.
         *
         * @return whether a change may have been
         */
        synchronized boolean giveUp() {
            givenUp = true;
            if (placed) {
                synchronized (hanging) {
                    hanging.put(this, System.nanoTime());
                }
            }
            Connection used = connection;
            if (used != null) {
                abortElsewhere(used);
            }
            return sent;
        }

        /** On yet another thread, since closing a socket may take its time too. */
        private void abortElsewhere(Connection used) {
            try {
                pool.getThreadFactory().newThread(() -> abort(used)).start();
            } catch (OutOfMemoryError e) {
                // No thread can be started: the driver's timeout ends the call then.
            }
        }

        private synchronized void requireTime() throws SQLException {
            if (givenUp) {
                throw new SQLException("the call was given up");
            }
        }

        private synchronized void send() throws SQLException {
            requireTime();
            sent = true;
        }

        /** Makes it this call's, or leaves it to later calls if this call is over. */
        private Connection use(Connection taken) throws SQLException {
            synchronized (this) {
                if (!givenUp) {
                    connection = taken;
                    return taken;
                }
            }
            putBack(taken, true);
            throw new SQLException("the call was given up");
        }

        /** @return whether no other thread is about to abort it */
        private synchronized boolean leave() {
            connection = null;
            return !givenUp;
        }

        /** Among those that may be under way at once. */
        synchronized void takePlace() {
            placed = true;
        }

        synchronized void leavePlace() {
            if (placed) {
                placed = false;
                calls.release();
            }
        }

        @Override
        public T call() throws Exception {
            try {
                requireTime();
                Connection taken = take(this);
                boolean usable = false;
                try {
                    T result = work(taken);
                    usable = true;
                    return result;
                } finally {
                    boolean mine = leave();
                    putBack(taken, usable && mine);
                }
            } finally {
                leavePlace();
                synchronized (hanging) {
                    hanging.remove(this);
                }
            }
        }

        private T work(Connection taken) throws SQLException {
            boolean lent = access.dataSource() != null;
            boolean committing = taken.getAutoCommit();
            if (lent || !committing) {
                // Its last user may have begun a transaction by a statement, unseen by JDBC, and left it open; and
                // drivers that connect anew by themselves, when a server went away, begin as the URL says.
                commitEachStatement(taken);
            }
            int before = limit(taken, leftMillis());
            try {
                DatabaseCall call = new DatabaseCall(settings, taken, known, this::send);
                call.requireCommittedReads();
                return work.run(call);
            } finally {
                restore(taken, committing || !lent, before);
            }
        }

        /** For its next user from the application's pool. */
        private void restore(Connection taken, boolean committing, int millis) {
            try {
                if (!committing) {
                    taken.setAutoCommit(false);
                }
                int unused = limit(taken, millis);
            } catch (SQLException e) {
                // It is broken, as its next use will show.
            }
        }

        /** At least one, since zero means for ever. */
        private int leftMillis() {
            return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
        }

        /** @return what held before; zero if this driver knows no such limit */
        private int limit(Connection taken, int millis) throws SQLException {
            try {
                int before = taken.getNetworkTimeout();
                if (before != millis) {
                    taken.setNetworkTimeout(Runnable::run, millis);
                }
                return before;
            } catch (SQLFeatureNotSupportedException notKnown) {
                return 0;
            }
        }
    }

    /**
     * Turns auto-commit on, whatever URL, driver and server have set. It is turned off first, since a driver that wrongly believes that it
     * is on would send nothing.
     */
    private static void commitEachStatement(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.rollback();
        connection.setAutoCommit(true);
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // It is of no use any more either way.
        }
    }

    private Connection take(Attempt<?> attempt) throws SQLException, InterruptedException {
        DataSource dataSource = access.dataSource();
        if (dataSource != null) {
            return attempt.use(dataSource.getConnection());
        }
        Connection kept = takeIdle(attempt);
        if (kept != null) {
            return attempt.use(kept);
        }
        try {
            return attempt.use(connect(attempt.settings, String.valueOf(access.url()), attempt.leftMillis()));
        } finally {
            synchronized (idle) {
                settingUp.remove(attempt);
                idle.notifyAll();
            }
        }
    }

    /** @return null if this call is to set one up */
    private @Nullable Connection takeIdle(Attempt<?> attempt) throws SQLException, InterruptedException {
        synchronized (idle) {
            while (true) {
                attempt.requireTime();
                if (over) {
                    throw new SQLException("the coordinator is closed");
                }
                Idle last = idle.pollFirst();
                if (last != null) {
                    return last.connection();
                }
                long now = System.nanoTime();
                // A driver without a timeout of its own may never end.
                settingUp.values().removeIf(since -> now - since > FORGOTTEN_NANOS);
                if (settingUp.size() < MAX_SET_UPS) {
                    settingUp.put(attempt, now);
                    return null;
                }
                idle.wait(attempt.leftMillis() + TimeUnit.NANOSECONDS.toMillis(GRACE_NANOS));
            }
        }
    }

    /** @param callMillis what is left of the time of the call that it is for */
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
        Driver driver = JdbcSettings.driver(url).orElseThrow(() -> new SQLException("no driver for this URL"));
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

    private void putBack(Connection connection, boolean usable) {
        if (usable && access.dataSource() == null) {
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

    /** @param seconds closes connections that have been idle for this long; all of them at the end */
    private void closeIdle(long seconds) {
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

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is of no use any more either way.
        }
    }
}
