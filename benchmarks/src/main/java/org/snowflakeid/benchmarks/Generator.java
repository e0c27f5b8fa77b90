// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

/** One instance of what is measured. */
interface Generator extends AutoCloseable {

    long nextId();

    @Override
    default void close() {}

    /** With a call for many ids at once. */
    interface InBatches extends Generator {

        /** Returns {@code count} ids, in whatever they come. */
        Object nextIds(int count);
    }

    /** And with one that leaves them in an array of the caller's. */
    interface IntoArrays extends InBatches {

        void nextIds(long[] into, int from, int count);
    }
}
