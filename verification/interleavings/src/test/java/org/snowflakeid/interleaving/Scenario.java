// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.interleaving;

/** Something that a few threads do at the same time. A new one is made for each schedule. */
public interface Scenario {

    /** Prepares everything and names the threads by {@link Schedule#actor}. Nothing is interleaved yet. */
    void begin(Schedule schedule);

    /** Called when every actor has returned and every other thread waits. Throws if something is not as it must be. */
    default void end() {}
}
