// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Work in progress: signatures only. */
public final class LeasedSnowflake implements Snowflake, AutoCloseable {

    /** Claims a worker id through the coordinator that the settings name, or the only one on the class path. Blocks. */
    public static LeasedSnowflake open(SnowflakeSettings settings) {
        throw new UnsupportedOperationException();
    }

    /** As {@link #open(SnowflakeSettings)}, looking for coordinators with a given class loader. */
    public static LeasedSnowflake open(SnowflakeSettings settings, ClassLoader loader) {
        throw new UnsupportedOperationException();
    }

    /** Claims a worker id through a given coordinator, on a given platform. */
    public static LeasedSnowflake open(
            SnowflakeSettings settings, WorkerCoordinatorProvider provider, Platform platform) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nextId() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long[] nextIds(int count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SnowflakeLayout layout() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SnowflakeStatus status() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
