// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.resume;

import static org.snowflakeid.config.Logs.LOG;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Platform;
import org.snowflakeid.claim.ClaimFile;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.lease.CallWatch;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;

/**
 * Keeps callers of one claim within what its last note allows: a note is written first and used second, a few seconds of ticks at a time. So a
 * process that takes over can go on where the note says, whatever this one was doing when it was killed.
 *
 * <p>If no note can be written, the last one is made to say nothing: then there is nothing to take over, and callers may issue all that is granted.
 * Only if not even that can be done, or another process has taken over, do callers stop at what the last note says.
 */
public final class WriteAheadLimit implements ClaimFile {

    /** How far ahead of what is used a note allows ticks to be used. A process that takes over waits for the clock to get there. */
    private static final long AHEAD_TICKS = 4_000;

    /** The next note is written when only this much is left, which a slow disk may take. */
    private static final long LEAST_TICKS = 2_000;

    /** By then callers may have used up what was noted. */
    private static final long LONGEST_WRITE_NANOS = Resumption.LONGEST_WRITE.toNanos();

    /** Not longer, since clocks may be set meanwhile. */
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    /** For a write that is under way. */
    private static final int LONGEST_WAIT_MILLIS = 2_000;

    private final NoteChain notes;
    private final Lease lease;
    private final Positions positions;
    private final long aheadAllowed;
    private final Platform platform;
    private final SharedState shared;
    private final Runnable wake;

    /** What the coordinator acknowledged last: the next note, but for its lo. */
    private volatile ResumeNote granted;

    /** What the last note says, or would say, but for its lo. */
    private @Nullable ResumeNote noted;

    /** Whether a thread is at the notes. Not a monitor, which would keep the keeper waiting for a disk that is stuck. */
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Exclusive: no tick at or above it can have been issued. Used only in turn, as is {@link #trouble}. */
    private long usable;

    private Trouble trouble = Trouble.NONE;

    /** Nothing is written any more. */
    private volatile boolean over;

    private volatile boolean lost;

    /** No process can take over from here any more. */
    private volatile boolean ended;

    /** Since when a write is under way, by the monotonic clock; null: none is. */
    private volatile @Nullable Long writingSince;

    /** Whether it was said that the disk does not answer. */
    private volatile boolean stuck;

    private enum Trouble {
        NONE,
        /** The last note says nothing. */
        NOT_WRITTEN,
        /** The last note says what it said, and may be taken over. */
        STUCK,
        /** Another process has taken over. */
        LOST
    }

    /**
     * @param lease not opened yet
     * @param granted its lo: no tick at or above it was ever issued under the mark
     * @param aheadAllowed how far ahead of the clock ids may be issued at any time, in ticks
     * @param wake has {@link #advance} called soon
     */
    WriteAheadLimit(
            NoteChain notes,
            Lease lease,
            ResumeNote granted,
            long aheadAllowed,
            Platform platform,
            SharedState shared,
            Runnable wake) {
        this.notes = notes;
        this.lease = lease;
        this.positions = Positions.of(granted.meta().layout());
        this.usable = granted.lo();
        this.granted = granted;
        this.aheadAllowed = aheadAllowed;
        this.platform = platform;
        this.shared = shared;
        this.wake = wake;
        lease.note(positions.first(usable));
    }

    @Override
    public void granted(Mark mark, NamespaceRecord meta) {
        granted = granted.with(mark, meta);
        wake.run();
    }

    /**
     * Lets callers have more, if they will soon need it.
     *
     * @param now in ticks
     * @return how many milliseconds it may wait to be called again
     */
    long advance(long now) {
        if (!taken.compareAndSet(false, true)) {
            return LONGEST_PAUSE_MILLIS;
        }
        try {
            writingSince = platform.nanoTime();
            return advanceInTurn(now);
        } finally {
            writingSince = null;
            taken.set(false);
        }
    }

    /** For the keeper's thread: says that the disk does not answer, which the thread that waits for it can't. */
    void lookAtDisk() {
        Long since = writingSince;
        if (since != null && platform.nanoTime() - since > LONGEST_WRITE_NANOS && !stuck) {
            stuck = true;
            say(
                    "can't be written: the disk has not answered for some seconds. Ids stop at what was noted until it does.");
        }
    }

    private long advanceInTurn(long now) {
        ResumeNote current = granted;
        long limit = current.hi();
        long last = lease.position();
        long needed = Math.max(now + aheadAllowed, last == Lease.SEALED ? 0 : positions.tick(last) + 1);
        boolean isNews = !current.equals(noted);
        if (over || (usable >= limit && !isNews)) {
            return LONGEST_PAUSE_MILLIS;
        }
        if (usable - needed >= LEAST_TICKS && !isNews) {
            return Math.min(usable - needed - LEAST_TICKS, LONGEST_PAUSE_MILLIS);
        }
        long next = Math.max(usable, Math.min(needed + AHEAD_TICKS, limit));
        try {
            if (!notes.add(current.with(next).text())) {
                lost();
                return LONGEST_PAUSE_MILLIS;
            }
            works();
        } catch (IOException e) {
            if (!forgo(e)) {
                return LONGEST_PAUSE_MILLIS;
            }
            next = Math.max(usable, limit);
        }
        noted = current;
        use(next);
        return LONGEST_PAUSE_MILLIS;
    }

    private void use(long next) {
        if (next > usable) {
            usable = next;
            lease.note(positions.first(next));
            shared.troubles().noteMore();
            shared.wakeCallers();
        }
    }

    /** @return whether no process can take over from this one any more, so that it may issue all that is granted to it */
    private boolean forgo(IOException reason) {
        try {
            if (notes.end()) {
                note(
                        Trouble.NOT_WRITTEN,
                        "can't be written (" + reason
                                + "). Ids go on, but a process that is restarted now does not start while the coordinator"
                                + " is down. Is the disk full?");
                return true;
            }
            lost();
        } catch (IOException e) {
            note(
                    Trouble.STUCK,
                    "can neither be written (" + reason + ") nor ended (" + e + "). Ids stop until they can.");
        }
        return false;
    }

    private void lost() {
        over = true;
        lost = true;
        note(
                Trouble.LOST,
                "were taken over by another process of this host, or deleted: this one must have been suspended. It"
                        + " claims another worker id.");
        shared.wakeKeeper();
    }

    private void note(Trouble now, String what) {
        if (trouble != now) {
            trouble = now;
            say(what);
        }
    }

    private void say(String what) {
        String text = described() + " " + what;
        shared.troubles().noteFiles(text);
        LOG.log(Level.WARNING, shared.message(text));
    }

    private void works() {
        boolean wasStuck = stuck;
        stuck = false;
        if (trouble != Trouble.NONE || wasStuck) {
            LOG.log(Level.INFO, shared.message(described() + " can be written again"));
        }
        if (trouble != Trouble.NONE || wasStuck || noted == null) {
            // Also clears what was wrong with the notes of the worker id before.
            shared.troubles().noteFiles(null);
        }
        trouble = Trouble.NONE;
    }

    private String described() {
        return "the notes of worker id " + lease.workerId + " in " + SnowflakeKeys.RESUME_DIRECTORY;
    }

    /** There will be no notes for as long as this claim is used. */
    @Override
    public void shareWithCopy() {
        if (!goOnWithout()) {
            return;
        }
        LOG.log(
                Level.WARNING,
                shared.message(described()
                        + " were ended, since the system clock stepped, as when a copy of this process is resumed. Ids go"
                        + " on, but a process that is started in place of this one does not start while the coordinator is"
                        + " down. To have notes again, restart this one while it can be reached."));
    }

    @Override
    public boolean goOnWithout() {
        if (over || !end()) {
            return false;
        }
        lease.note(Long.MAX_VALUE);
        return true;
    }

    @Override
    public boolean end() {
        return shared.calls()
                .during(Resumption.WRITE, CallWatch.NOT_WRITTEN, Resumption.LONGEST_WRITE, this::endInTurn);
    }

    private boolean endInTurn() {
        IOException reason;
        if (takeTurn()) {
            try {
                if (notes.end()) {
                    over = true;
                    ended = true;
                } else if (!lost) {
                    lost();
                }
                return !lost;
            } catch (IOException e) {
                reason = e;
            } finally {
                taken.set(false);
            }
        } else {
            reason = new IOException("the disk is stuck");
        }
        LOG.log(
                Level.WARNING,
                shared.message(described() + " can't be ended. Its worker id is not given back"),
                reason);
        return false;
    }

    private boolean takeTurn() {
        for (int waited = 0; waited < LONGEST_WAIT_MILLIS; waited++) {
            if (taken.compareAndSet(false, true)) {
                return true;
            }
            platform.park(1_000_000);
        }
        return false;
    }

    @Override
    public boolean isLost() {
        return lost;
    }

    boolean isOver() {
        return over;
    }

    boolean isEnded() {
        return ended || lost;
    }

    boolean isOf(int workerId) {
        return lease.workerId == workerId;
    }

    @Override
    public void stop() {
        over = true;
    }
}
