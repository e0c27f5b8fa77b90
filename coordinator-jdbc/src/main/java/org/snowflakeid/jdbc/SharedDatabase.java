// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import java.util.function.LongSupplier;
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

    /** With a connection, while their database does not answer: it is not asked on yet another one, which the application may need. */
    private static final int MOST_HANGING = 2;

    /** One that hangs for longer takes no other's place any more, as long as there are no more threads than that. */
    static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final int MAX_THREADS = 64;

    private static final long LINGER_SECONDS = 5;

    /** How much later than the driver's own timeout the wait ends, so that the report is normally the driver's. */
    static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    static final Shared<JdbcSettings.Access, SharedDatabase> ALL = all(System::nanoTime);

    interface Work<T> {
        T run(DatabaseCall call) throws SQLException;
    }

    private final JdbcSettings.Access access;
    private final ApplicationThreads threads;
    private final DatabaseCall.Known known;
    private final Semaphore calls = new Semaphore(MAX_CALLS, true);

    /** Calls that were given up and may go on, each with when. Guarded by itself. */
    private final Map<Attempt<?>, Long> hanging = new HashMap<>();

    /** Runs all threads; tests give it none. */
    final ThreadPoolExecutor pool;

    /** Those by URL; a data source lends its own. */
    private final KeptConnections kept = new KeptConnections();

    /** @param nanoTime by which what a server said ages */
    static Shared<JdbcSettings.Access, SharedDatabase> all(LongSupplier nanoTime) {
        return new Shared<>((access, threads) -> new SharedDatabase(access, threads, nanoTime), SharedDatabase::end);
    }

    private SharedDatabase(JdbcSettings.Access access, ApplicationThreads threads, LongSupplier nanoTime) {
        this.known = new DatabaseCall.Known(nanoTime);
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
            // The last thread ends when the last call is that long ago, and takes what is left along.
            kept.closeIdle(LINGER_SECONDS - 1);
        }
    }

    boolean isWitness() {
        return known.isWitness();
    }

    /** The records' table; empty until it was looked up. */
    String location() {
        Table table = known.table();
        return table == null ? "" : "table " + table;
    }

    private void end() {
        kept.close();
        pool.shutdown();
        // Of calls that were given up most end when their connection is aborted, and some when it pleases their driver.
        threads.awaitEnd(Deadline.after(anyHangs() ? Duration.ofNanos(GRACE_NANOS) : ApplicationThreads.LONGEST_END));
    }

    /**
     * Runs it in auto-commit mode, on a thread of its own.
     *
     * @throws JdbcFailure which says whether anything may have been changed
     */
    <T> T call(JdbcSettings settings, Duration timeout, Work<T> work) throws JdbcFailure {
        Deadline deadline = Deadline.after(settings.callTimeout().of(timeout));
        Attempt<T> attempt = new Attempt<>(settings, deadline, work);
        forgetOld();
        try {
            int most = hangingOnes() < MOST_HANGING ? MAX_CALLS : MOST_HANGING;
            if (most == MOST_HANGING || !calls.tryAcquire(deadline.nanosLeft(), TimeUnit.NANOSECONDS)) {
                throw JdbcFailure.late(settings, most + " earlier calls still wait for an answer", null, false);
            }
            attempt.takePlace();
            Future<T> result = submit(attempt);
            return result.get(deadline.nanosLeft() + GRACE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw JdbcFailure.interrupted(settings, e, attempt.giveUp());
        } catch (TimeoutException e) {
            String seen = attempt.seen();
            throw JdbcFailure.late(settings, seen, null, attempt.giveUp());
        } catch (ExecutionException e) {
            String seen = attempt.seen();
            throw JdbcFailure.of(settings, e.getCause() == null ? e : e.getCause(), seen, attempt.giveUp());
        }
    }

    private boolean anyHangs() {
        synchronized (hanging) {
            return !hanging.isEmpty();
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

    /** Of those that still have a connection, or wait for one of a data source. */
    private long hangingOnes() {
        List<Attempt<?>> all;
        synchronized (hanging) {
            all = List.copyOf(hanging.keySet());
        }
        return all.stream()
                .filter(each -> access.dataSource() != null || each.isConnected())
                .count();
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

    /** One call, which may go on when its caller has stopped waiting. */
    private final class Attempt<T> implements Callable<T>, KeptConnections.Call, DatabaseCall.Time {
        private final JdbcSettings settings;
        private final Deadline deadline;
        private final Work<T> work;

        // Guarded by this.
        private @Nullable Connection connection;
        private boolean hadConnection;
        private boolean sent;
        private boolean givenUp;
        private boolean placed;

        private final Object aborting = new Object();

        /** Guarded by {@link #aborting}. */
        private boolean aborted;

        Attempt(JdbcSettings settings, Deadline deadline, Work<T> work) {
            this.settings = settings;
            this.deadline = deadline;
            this.work = work;
        }

        synchronized boolean isConnected() {
            return connection != null;
        }

        /** How far it came without a change. */
        synchronized String seen() {
            return hadConnection ? "nothing was changed" : "no connection was available";
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
                pool.getThreadFactory().newThread(() -> abortOnce(used)).start();
            } catch (OutOfMemoryError e) {
                // No thread can be started: the driver's timeout ends the call then.
            }
        }

        /** A pool may take a connection back each time it is aborted, and lend it twice. The second thread waits for the first. */
        private void abortOnce(Connection used) {
            synchronized (aborting) {
                if (!aborted) {
                    aborted = true;
                    abort(used);
                }
            }
        }

        @Override
        public synchronized void requireTime() throws SQLException {
            if (givenUp) {
                throw new SQLException("the call was given up");
            }
        }

        @Override
        public synchronized void send() throws SQLException {
            requireTime();
            sent = true;
        }

        @Override
        public Connection use(Connection taken) throws SQLException {
            synchronized (this) {
                if (!givenUp) {
                    connection = taken;
                    hadConnection = true;
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
                    if (!mine) {
                        // Before a pool lends it to another: the thread that is about to do so may come too late.
                        abortOnce(taken);
                    }
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
                KeptConnections.commitEachStatement(taken);
            }
            int before = -1;
            boolean readOnly = false;
            try {
                // Not every pool undoes that.
                readOnly = lent && taken.isReadOnly();
                if (readOnly) {
                    taken.setReadOnly(false);
                }
                // First which database it is: pools take a driver's answer that it has no such limit for a broken
                // connection.
                DatabaseCall call = new DatabaseCall(settings, taken, known, this);
                before = limit(taken, leftMillis());
                call.requireGoodConnection();
                return work.run(call);
            } finally {
                restore(taken, committing || !lent, before, readOnly);
            }
        }

        /**
         * For its next user from the application's pool.
         *
         * @param millis negative: the limit is as it was
         */
        private void restore(Connection taken, boolean committing, int millis, boolean readOnly) {
            try {
                if (readOnly) {
                    taken.setReadOnly(true);
                }
                if (!committing) {
                    taken.setAutoCommit(false);
                }
                int unused = millis < 0 ? 0 : limit(taken, millis);
            } catch (SQLException e) {
                // It is broken, as its next use will show.
            }
        }

        /** At least one, since zero means for ever. */
        @Override
        public int leftMillis() {
            return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline.nanosLeft()));
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

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // It is of no use any more either way.
        }
    }

    private Connection take(Attempt<?> attempt) throws SQLException, InterruptedException {
        DataSource dataSource = access.dataSource();
        return dataSource == null ? kept.take(attempt.settings, attempt) : attempt.use(dataSource.getConnection());
    }

    private void putBack(Connection connection, boolean usable) {
        if (access.dataSource() == null) {
            kept.putBack(connection, usable);
        } else {
            KeptConnections.close(connection);
        }
    }
}
