// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

/** A generator that is right for one thread only: the control that must be caught issuing ids twice. */
final class UnsynchronisedSnowflake implements Generator {

    private static final int SEQUENCE_BITS = 12;
    private static final int TICK_SHIFT = 22;

    private long position;

    @Override
    public long nextId() {
        position = Math.max(position + 1, System.currentTimeMillis() << SEQUENCE_BITS);
        return (position >>> SEQUENCE_BITS << TICK_SHIFT) | (position & ((1 << SEQUENCE_BITS) - 1));
    }
}
