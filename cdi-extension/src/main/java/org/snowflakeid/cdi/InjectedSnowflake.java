// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.spi.CDI;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeCounts;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeStatus.State;

/**
 * What an injection point receives: the generator itself, plus the one thing that a generator can't do: being serialized in a passivated
 * bean. It is read as itself while it is open, else as the generator of its name in the application that reads it. What shows it ends
 * with it.
 */
final class InjectedSnowflake implements Snowflake, AutoCloseable, Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * Those that were written, by their tokens. No two applications know each other by this: a container can't be found by what is read in
     * its behalf, if there are several in the process.
     */
    private static final Map<String, InjectedSnowflake> WRITTEN = new ConcurrentHashMap<>();

    private static final System.Logger LOG = System.getLogger(InjectedSnowflake.class.getName());

    private final transient LeasedSnowflake ids;

    private final transient List<Runnable> whenClosed = new ArrayList<>();

    private transient boolean shown;
    private transient boolean forgotten;
    private transient @Nullable String token;
    private transient @Nullable Ending ending;

    /** Kept for as long as this is: nothing else has a reference to it. Null: checkpoints are not known here. */
    @SuppressWarnings("unused")
    private final transient @Nullable Object checkpoints;

    InjectedSnowflake(LeasedSnowflake ids) {
        this.ids = ids;
        this.checkpoints = OptionalApi.CRAC.isPresent() ? CheckpointResource.register(ids) : null;
    }

    @Override
    public long nextId() {
        return ids.nextId();
    }

    @Override
    public long[] nextIds(int count) {
        return ids.nextIds(count);
    }

    @Override
    public void nextIds(long[] into, int from, int count) {
        ids.nextIds(into, from, count);
    }

    @Override
    public SnowflakeLayout layout() {
        return ids.layout();
    }

    @Override
    public SnowflakeStatus status() {
        return ids.status();
    }

    @Override
    public SnowflakeCounts counts() {
        return ids.counts();
    }

    /** Whether nothing shows it yet; from now on something does. */
    synchronized boolean beginToShow() {
        boolean first = !shown;
        shown = true;
        return first;
    }

    void whenClosed(Runnable end) {
        if (!keep(end)) {
            run(end);
        }
    }

    /** @return false: it is closed already */
    private synchronized boolean keep(Runnable end) {
        return !forgotten && whenClosed.add(end);
    }

    /**
     * From now on it ends with the others, unless it does so already.
     *
     * @return whether it does not
     */
    synchronized boolean endWith(Ending others) {
        if (ending != null) {
            return false;
        }
        ending = others;
        return true;
    }

    /** Whether it ends with the application. */
    synchronized boolean endsWithOthers() {
        return ending != null;
    }

    /** Its bean was destroyed. */
    void destroyed() {
        Ending together;
        synchronized (this) {
            together = ending;
        }
        if (together == null) {
            close();
        } else {
            together.destroyed();
        }
    }

    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /** Closes all, and waits once. */
    static void closeAll(Collection<InjectedSnowflake> generators) {
        try {
            LeasedSnowflake.closeAll(generators.stream().map(each -> each.ids).toList());
        } finally {
            // They are closed, though one may have failed.
            generators.forEach(InjectedSnowflake::forget);
        }
    }

    /** Throws nothing: the others have to be forgotten as well. */
    private void forget() {
        // Not under the lock: it may wait for a thread that uses this.
        takeEnds().forEach(this::run);
    }

    private synchronized List<Runnable> takeEnds() {
        if (token != null) {
            WRITTEN.remove(token);
        }
        List<Runnable> ends = List.copyOf(whenClosed);
        whenClosed.clear();
        forgotten = true;
        return ends;
    }

    private void run(Runnable end) {
        try {
            end.run();
        } catch (Throwable e) {
            report(e);
        }
    }

    private void report(Throwable failure) {
        try {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + status().generator() + "': it was closed, but what showed it failed to end",
                    failure);
        } catch (Throwable logFailed) {
            // There is nowhere left to report it, and the next generator has to end all the same.
        }
    }

    @Override
    public String toString() {
        return status().toString();
    }

    private synchronized Object writeReplace() {
        if (token == null) {
            token = UUID.randomUUID().toString();
        }
        if (status().state() != State.CLOSED) {
            WRITTEN.put(token, this);
        }
        return new Passivated(status().generator(), token);
    }

    private void readObject(ObjectInputStream in) throws InvalidObjectException {
        throw new InvalidObjectException("written as its name only");
    }

    private record Passivated(String generator, @Nullable String token) implements Serializable {
        private Object readResolve() throws InvalidObjectException {
            InjectedSnowflake itself = token == null ? null : WRITTEN.get(token);
            if (itself != null) {
                return itself;
            }
            try {
                return CDI.current()
                        .select(Snowflake.class, GeneratorBeans.qualifier(generator))
                        .get();
            } catch (RuntimeException e) {
                InvalidObjectException failure =
                        new InvalidObjectException("snowflake '" + generator + "': a passivated bean that used it was"
                                + " read where no application with this generator is found: " + e.getMessage());
                failure.initCause(e);
                throw failure;
            }
        }
    }
}
