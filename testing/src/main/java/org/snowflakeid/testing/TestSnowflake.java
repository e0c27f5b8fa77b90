// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.IdParts;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeUnavailableException;

/**
 * A generator whose worker id is given, and whose clock moves only when a test moves it. So ids are the same in each run:
 *
 * <pre>{@code
 * TestSnowflake ids = TestSnowflake.workerId(7).at(Instant.parse("2026-01-01T00:00:00Z"));
 * ids.nextId();                          // 2026-01-01T00:00:00Z, worker id 7, sequence 0
 * ids.nextId();                          // sequence 1
 * ids.advance(Duration.ofSeconds(1));
 * ids.nextId();                          // 2026-01-01T00:00:01Z, sequence 0
 * }</pre>
 *
 * It leases nothing, starts no thread and need not be closed. Ids are composed and ascend as everywhere else, only that each
 * millisecond begins with sequence 0, not with a rolling one. Where another generator waits for its clock, this one moves its own
 * on instead: by a millisecond when the sequence is used up, and up to the last id when it was set back by half a second or less.
 * When it was set back by more, {@link #nextId} fails, as it does elsewhere. Safe for use by any number of threads.
 */
public final class TestSnowflake implements Snowflake {

    private static final Instant DEFAULT_START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int MAX_BATCH = 1_000_000;

    /** At the end of a UUID. */
    private static final int RANDOM_BITS = 34;

    /** The default of {@code snowflake.clock.max-wait}. */
    private static final Duration MAX_WAIT = Duration.ofMillis(500);

    private final SnowflakeLayout layout;
    private final int workerId;
    private final int maxSequence;

    private Instant now;

    /** The least that is greater than all that was issued. */
    private IdParts next;

    private boolean suspended;

    private TestSnowflake(int workerId, SnowflakeLayout layout) {
        if (workerId < 0 || workerId > layout.maxWorkerId()) {
            throw new IllegalArgumentException(
                    "worker id " + workerId + " is not between 0 and " + layout.maxWorkerId());
        }
        this.layout = layout;
        this.workerId = workerId;
        this.maxSequence = (1 << layout.sequenceBits()) - 1;
        this.now = layout.epoch().isAfter(DEFAULT_START) ? layout.epoch() : DEFAULT_START;
        this.next = first(layout.epoch());
    }

    /** Of the standard layout. The clock shows 2026-01-01T00:00:00Z. */
    public static TestSnowflake workerId(int workerId) {
        return workerId(workerId, SnowflakeLayout.STANDARD);
    }

    /** The clock shows 2026-01-01T00:00:00Z, or a later epoch. */
    public static TestSnowflake workerId(int workerId, SnowflakeLayout layout) {
        return new TestSnowflake(workerId, layout);
    }

    /**
     * Sets the clock, which does not move from there by itself.
     *
     * @throws IllegalArgumentException if the layout has no ids of that instant
     */
    public synchronized TestSnowflake at(Instant instant) {
        layout.minId(instant);
        now = instant;
        return this;
    }

    /** Sets the clock forward, or back if negative. */
    public synchronized TestSnowflake advance(Duration time) {
        return at(now.plus(time));
    }

    /** What the clock shows. */
    public synchronized Instant now() {
        return now;
    }

    /**
     * Forgets all that was issued, and sets the clock: as good as new, for the next test of an application that goes on running.
     * Ids repeat from here on, if the clock was set back.
     */
    public synchronized TestSnowflake restartAt(Instant instant) {
        at(instant);
        next = first(layout.epoch());
        suspended = false;
        return this;
    }

    /** From now on no id can be issued, as after a long outage of the coordinator. */
    public synchronized TestSnowflake suspend() {
        suspended = true;
        return this;
    }

    /** Ends {@link #suspend}. */
    public synchronized TestSnowflake resume() {
        suspended = false;
        return this;
    }

    @Override
    public synchronized long nextId() {
        if (suspended) {
            throw new SnowflakeUnavailableException("snowflake 'default': no id can be issued: the test suspended it.");
        }
        IdParts first = first(now);
        IdParts parts = next.timestamp().isBefore(first.timestamp()) ? first : next;
        Duration ahead = Duration.between(now, parts.timestamp());
        if (ahead.compareTo(MAX_WAIT) > 0) {
            throw new ClockMovedBackwardsException("snowflake 'default': the clock (now " + now
                    + ") was set back by the" + " test and is " + ahead.toMillis() + " ms behind the last id.");
        }
        if (ahead.compareTo(Duration.ZERO) > 0) {
            now = parts.timestamp();
        }
        next = parts.sequence() < maxSequence
                ? new IdParts(parts.timestamp(), workerId, parts.sequence() + 1)
                : first(parts.timestamp().plusMillis(1));
        return layout.encode(parts);
    }

    private IdParts first(Instant instant) {
        return new IdParts(Instant.ofEpochMilli(instant.toEpochMilli()), workerId, 0);
    }

    @Override
    public synchronized long[] nextIds(int count) {
        if (count < 1 || count > MAX_BATCH) {
            throw new IllegalArgumentException("count " + count + " is not between 1 and " + MAX_BATCH);
        }
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = nextId();
        }
        return ids;
    }

    /** As elsewhere, only that what is random there is 0 here. */
    @Override
    public UUID nextUuid() {
        UUID uuid = Snowflake.super.nextUuid();
        return new UUID(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits() >>> RANDOM_BITS << RANDOM_BITS);
    }

    @Override
    public SnowflakeLayout layout() {
        return layout;
    }

    @Override
    public synchronized SnowflakeStatus status() {
        return new SnowflakeStatus(
                SnowflakeSettings.DEFAULT_GENERATOR,
                suspended ? SnowflakeStatus.State.SUSPENDED : SnowflakeStatus.State.ACTIVE,
                List.of(workerId),
                "test",
                "test",
                Optional.of(suspended ? now : layout.exhaustedAt()),
                Duration.ZERO,
                !suspended,
                suspended ? Optional.of("The test suspended it.") : Optional.empty(),
                Optional.empty());
    }

    @Override
    public String toString() {
        return status().toString();
    }
}
