// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/**
 * What happens to a generator. {@link LeasedSnowflake#open(SnowflakeSettings, java.util.function.Consumer)} takes a listener for these
 * events. A listener does not have to react: the generator does by itself what has to be done.
 *
 * <p>The listener gets the events of one generator in their order, one after the other. It is called on a thread of its own, which lives
 * only while there are events. So a listener may take its time: neither ids nor extensions wait for it. Up to 64 events wait for a slow
 * listener. Further ones are dropped, and the log says so. What the listener throws is logged. Once the generator is being closed,
 * there are no more events.
 *
 * <p>With {@code snowflake.workers} above 1 each event is about one of the generator's worker ids. That is so for {@link Suspended} too:
 * the other worker ids may go on.
 */
public sealed interface SnowflakeEvent {

    /** The generator's name, {@code default} unless it was given one. */
    String generator();

    /** The worker id that this event is about: the one that is used after the event, or the last one that was used. */
    int workerId();

    /** The first worker id was claimed, and ids can be issued. With {@code snowflake.workers} this comes once for each worker id of the start. */
    record Claimed(String generator, int workerId) implements SnowflakeEvent {}

    /**
     * The owner entry of the worker id in use is gone: it expired, was deleted, or belongs to another process now. Ids go on to the end of
     * what is reserved. {@link Swapped} follows as soon as this or another worker id is held again.
     *
     * @param reason for people
     */
    record Lost(String generator, int workerId, String reason) implements SnowflakeEvent {}

    /**
     * A worker id was claimed in place of the one before. New ids are greater than all before. After {@link Lost} it may be the same
     * worker id again. This event also comes without a loss, if a copy of this process may be running.
     */
    record Swapped(String generator, int previousWorkerId, int workerId) implements SnowflakeEvent {}

    /**
     * No ids can be issued: {@link SnowflakeStatus#state} became {@link SnowflakeStatus.State#SUSPENDED SUSPENDED}. The reason is one of these: what
     * was reserved is used up, the clock can't be used (it is too far behind, stands still, or stepped and was not vetted in time), the generator was
     * sealed for a checkpoint, or the coordinator lost data. After a loss of data there are no ids until the process is restarted.
     *
     * <p>The end of a window is noticed when it ends, or after the call to the coordinator that is under way then. A step of the clock is noticed
     * within a third of the window. So a short suspension may pass without an event.
     *
     * @param reason for people
     */
    record Suspended(String generator, int workerId, String reason) implements SnowflakeEvent {}

    /** Ids can be issued again after {@link Suspended}, perhaps under another worker id. */
    record Resumed(String generator, int workerId) implements SnowflakeEvent {}
}
