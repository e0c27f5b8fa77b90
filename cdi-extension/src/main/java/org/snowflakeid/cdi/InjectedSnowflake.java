// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.spi.CDI;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeStatus;

/**
 * What an injection point receives: the generator itself, plus the one thing a generator can't do, to travel inside a passivated
 * bean. It is written as its name and read as the generator of that name in the application that reads it. What shows it ends with it.
 */
final class InjectedSnowflake implements Snowflake, AutoCloseable, Serializable {
    private static final long serialVersionUID = 1L;

    private final transient LeasedSnowflake ids;

    private transient @Nullable Runnable stopShowing;

    InjectedSnowflake(LeasedSnowflake ids) {
        this.ids = ids;
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
    public SnowflakeLayout layout() {
        return ids.layout();
    }

    @Override
    public SnowflakeStatus status() {
        return ids.status();
    }

    /** Has something show this generator, the first time only, until it is closed. */
    synchronized void show(Supplier<Runnable> start) {
        if (stopShowing == null) {
            stopShowing = start.get();
        }
    }

    @Override
    public void close() {
        ids.close();
        synchronized (this) {
            if (stopShowing != null) {
                stopShowing.run();
            }
        }
    }

    @Override
    public String toString() {
        return status().toString();
    }

    private Object writeReplace() {
        return new Passivated(status().generator());
    }

    private void readObject(ObjectInputStream in) throws InvalidObjectException {
        throw new InvalidObjectException("written as its name only");
    }

    private record Passivated(String generator) implements Serializable {
        private Object readResolve() {
            return CDI.current()
                    .select(Snowflake.class, Generators.qualifier(generator))
                    .get();
        }
    }
}
