// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.instance;

/** A generator that was started. One thread takes ids from it. */
public interface Ids extends AutoCloseable {

    /** Whatever it throws is written down, and it is asked again. */
    long next();

    /** Ends it as its documentation says; most need nothing. */
    @Override
    default void close() {}
}
