// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/**
 * What happens to a generator, for those who listen to it: see {@link LeasedSnowflake#open(SnowflakeSettings,
 * java.util.function.Consumer)}. Nobody need react, since the generator does what there is to do by itself.
 *
 * <p>Events of one generator are told in their order, one after the other, on a thread of its own that lives only while there
 * is something to tell. So a listener may take its time; ids and extensions wait for nothing here. While one is slow 64 events
 * wait for it, further ones are dropped, and the log says so. What it throws is logged. Once the generator is being closed
 * nothing is told any more.
 *
 * <p>With {@code snowflake.workers} above 1 each event is about one of the generator's worker ids, also {@link Suspended}: the others may
 * go on.
 */
public sealed interface SnowflakeEvent {

    /** The generator's name, {@code default} unless it was given one. */
    String generator();

    /** Of the worker id that this is about: the one in use from now on, as far as one is. */
    int workerId();

    /** The first worker id was claimed; ids flow. Told once. */
    record Claimed(String generator, int workerId) implements SnowflakeEvent {}

    /**
     * The owner entry of the worker id in use is gone, since it expired, was deleted or is another's now. Ids flow on as far as
     * they are reserved, and {@link Swapped} follows as soon as this or another worker id is held again.
     *
     * @param reason for people
     */
    record Lost(String generator, int workerId, String reason) implements SnowflakeEvent {}

    /**
     * A worker id was claimed in place of the one before; ids go on above those. After {@link Lost} it may be the same one
     * again. Told without such a loss where a copy of this process may be running.
     */
    record Swapped(String generator, int previousWorkerId, int workerId) implements SnowflakeEvent {}

    /**
     * No ids: {@link SnowflakeStatus#state} became {@link SnowflakeStatus.State#SUSPENDED SUSPENDED}. What was reserved is used
     * up, the clock stepped back too far, or the coordinator lost data, and then for good. Noticed when the window ends, or after
     * the call to the coordinator that is under way then; a step of the clock within a third of the window, so that a short
     * one may pass untold.
     *
     * @param reason for people
     */
    record Suspended(String generator, int workerId, String reason) implements SnowflakeEvent {}

    /** Ids flow again after {@link Suspended}, perhaps under another worker id. */
    record Resumed(String generator, int workerId) implements SnowflakeEvent {}
}
