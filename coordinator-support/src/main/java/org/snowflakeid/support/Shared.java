// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection, with its threads, for all coordinators of an application that reach the same servers in the same way. It begins with the first call
 * of one of them and ends when the last that uses it is closed. Each application of an application server has its own, distinguished by context class
 * loader, so that none keeps another's classes. A coordinator's class has this in a static field, and each open coordinator has a {@link Loan}.
 *
 * @param <K> how the servers are reached: equal for coordinators that may share
 * @param <T> the connection
 */
public final class Shared<K, T> {
    private final BiFunction<K, ApplicationThreads, T> begin;
    private final Consumer<T> end;

    /** Guarded by itself. */
    private final Map<Key<K>, Use<T>> inUse = new HashMap<>();

    private record Key<K>(K access, @Nullable ClassLoader application) {}

    private static final class Use<T> {
        private final T connection;
        private int users;

        Use(T connection) {
            this.connection = connection;
        }
    }

    /**
     * @param begin makes a connection, without any input or output, since others wait meanwhile
     * @param end ends a connection: called once, by its last user, while others may already begin the next
     */
    public Shared(BiFunction<K, ApplicationThreads, T> begin, Consumer<T> end) {
        this.begin = begin;
        this.end = end;
    }

    /** For a coordinator of the calling application. */
    public Loan loan(K access) {
        return loan(access, Thread.currentThread().getContextClassLoader());
    }

    public Loan loan(K access, @Nullable ClassLoader application) {
        return new Loan(new Key<>(access, application));
    }

    private Use<T> borrow(Key<K> key) {
        synchronized (inUse) {
            Use<T> use = inUse.computeIfAbsent(
                    key, absent -> new Use<>(begin.apply(key.access(), new ApplicationThreads(key.application()))));
            use.users++;
            return use;
        }
    }

    private void giveBack(Key<K> key, Use<T> use) {
        synchronized (inUse) {
            use.users--;
            if (use.users > 0) {
                return;
            }
            inUse.remove(key);
        }
        end.accept(use.connection);
    }

    /**
     * One coordinator's share. If it is never called it keeps nothing, even if it is never closed. Any thread may call its methods, and none of them
     * holds a lock while the connection ends.
     */
    public final class Loan implements AutoCloseable {
        private final Key<K> key;

        // Guarded by this.
        private @Nullable Use<T> use;
        private boolean closed;

        private Loan(Key<K> key) {
            this.key = key;
        }

        /** The connection, which begins if no coordinator uses it yet; null once this is closed. */
        public synchronized @Nullable T get() {
            if (closed) {
                return null;
            }
            Use<T> used = use;
            if (used == null) {
                used = borrow(key);
                use = used;
            }
            return used.connection;
        }

        /** The connection, if this loan has used it; null if not, and once this is closed. */
        public synchronized @Nullable T present() {
            return use == null ? null : use.connection;
        }

        /** Ends the connection if no other uses it. Closing twice is closing once. */
        @Override
        public void close() {
            Use<T> used;
            synchronized (this) {
                closed = true;
                used = use;
                use = null;
            }
            if (used != null) {
                giveBack(key, used);
            }
        }
    }
}
