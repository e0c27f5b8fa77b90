// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.snowflakeid.Logs.LOG;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what callers may issue of one claim below what its file says they may: the file is written first and used second, a few seconds of
 * ticks at a time. So a process that takes over can go on where the file says, whatever this one was doing when it was killed.
 *
 * <p>A file that can't be written is deleted: then there is nothing to take over, and callers may issue all that is granted. Only if not even
 * that can be done callers stop at what the file says.
 */
final class LocalLimit {

    /** So far ahead of what is used the file says that ticks are used. A process that takes over waits for the clock to get there. */
    private static final long AHEAD_TICKS = 4_000;

    /** Written anew when only so much of it is left, which a slow disk may take. */
    private static final long LEAST_TICKS = 2_000;

    /** Clocks may be set meanwhile. */
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    /** For a write that is under way. */
    private static final int LONGEST_WAIT_MILLIS = 2_000;

    private final ResumeDirectory.Entry file;
    private final Lease lease;
    private final Positions positions;
    private final long aheadAllowed;
    private final String place;
    private final Platform platform;
    private final Handover handover;
    private final Runnable wake;

    /** What the coordinator acknowledged last, for the next note. */
    private volatile Granted granted;

    /** What is in the file, or would be there. */
    private @Nullable Granted noted;

    /** Whose turn it is at the file: a monitor would keep the keeper waiting for a disk that is stuck. */
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Exclusive: no tick at or above it may have been issued. Only in turn, as what follows up to the next comment. */
    private long usable;

    private Trouble trouble = Trouble.NONE;
    /** Nothing is written any more. */
    private volatile boolean over;

    /** The lock is to be let go of, by whoever has the turn last. */
    private volatile boolean ended;

    private enum Trouble {
        NONE,
        /** There is no file. */
        NOT_WRITTEN,
        /** There is a file, and it is as it was. */
        NOT_DELETED
    }

    private record Granted(Mark mark, Meta meta) {}

    /**
     * @param lease not opened yet
     * @param usable no tick at or above it was ever issued under the mark
     * @param aheadAllowed how far ahead of the clock ids may be issued at any time, in ticks
     * @param wake has {@link #advance} called soon
     */
    LocalLimit(
            ResumeDirectory.Entry file,
            Lease lease,
            Positions positions,
            long usable,
            Mark mark,
            Meta meta,
            String place,
            long aheadAllowed,
            Platform platform,
            Handover handover,
            Runnable wake) {
        this.file = file;
        this.lease = lease;
        this.positions = positions;
        this.usable = usable;
        this.granted = new Granted(mark, meta);
        this.place = place;
        this.aheadAllowed = aheadAllowed;
        this.platform = platform;
        this.handover = handover;
        this.wake = wake;
        lease.note(positions.first(usable));
    }

    /** A write of the mark was applied. Does not wait for the disk. */
    void granted(Mark mark, Meta meta) {
        granted = new Granted(mark, meta);
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
            return advanceInTurn(now);
        } finally {
            giveTurn();
        }
    }

    private long advanceInTurn(long now) {
        Granted current = granted;
        long limit = current.mark().limit();
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
            file.write(new ResumeNote(lease.workerId, place, next, current.mark(), current.meta()).text());
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

    private boolean takeTurn() {
        for (int waited = 0; waited < LONGEST_WAIT_MILLIS; waited++) {
            if (taken.compareAndSet(false, true)) {
                return true;
            }
            platform.park(1_000_000);
        }
        return false;
    }

    private void giveTurn() {
        taken.set(false);
        closeIfEnded();
    }

    /** Not while something is being written: it would replace what the next one writes. */
    private void closeIfEnded() {
        if (ended && taken.compareAndSet(false, true)) {
            file.close();
        }
    }

    private void use(long next) {
        if (next > usable) {
            usable = next;
            lease.note(positions.first(next));
            handover.wakeCallers();
        }
    }

    /** @return whether nobody can take over from this process any more, so that it may issue all that is granted to it */
    private boolean forgo(IOException reason) {
        try {
            file.delete();
        } catch (IOException e) {
            note(
                    Trouble.NOT_DELETED,
                    "can neither be written (" + reason + ") nor deleted (" + e + "). Ids stop until it can.");
            return false;
        }
        note(
                Trouble.NOT_WRITTEN,
                "can't be written (" + reason
                        + ") and was deleted. Ids go on, but a process that is restarted now does not"
                        + " start while the coordinator is down. Is the disk full?");
        return true;
    }

    private void note(Trouble now, String what) {
        String text = "the file of worker id " + lease.workerId + " in " + SnowflakeKeys.RESUME_DIRECTORY + " " + what;
        handover.noteFileTrouble(now == Trouble.NONE ? null : text);
        if (trouble != now) {
            trouble = now;
            LOG.log(now == Trouble.NONE ? Level.INFO : Level.WARNING, handover.message(text));
        }
    }

    private void works() {
        if (trouble != Trouble.NONE) {
            note(Trouble.NONE, "can be written again");
        }
    }

    /**
     * Nobody may take over from this one from here on, since a copy of it may be issuing what the file says that nobody has, or since there is
     * nothing left to go on with. Callers may issue all that is granted.
     *
     * @return whether that is certain; if not, they stop at what the file says
     */
    boolean share() {
        if (!over && !delete()) {
            return false;
        }
        lease.note(Long.MAX_VALUE);
        return true;
    }

    /** As {@link #share}, since a copy of this process may be running. There will be no file for as long as this claim is used. */
    void shareWithCopy() {
        boolean wasOver = over;
        if (share() && !wasOver) {
            LOG.log(
                    Level.WARNING,
                    handover.message("the file of worker id " + lease.workerId + " in " + SnowflakeKeys.RESUME_DIRECTORY
                            + " was deleted, since the system clock stepped, as when a copy of this process is resumed."
                            + " Ids go on, but a process that is started in place of this one does not start while the"
                            + " coordinator is down. To have a file again, restart this one while it can be reached."));
        }
    }

    /**
     * Deletes the file, for good. The lease must have been sealed, or may be used to its limit.
     *
     * @return whether nobody can take over what this claim was granted; if not, its mark must not be lowered
     */
    boolean delete() {
        IOException reason;
        if (takeTurn()) {
            try {
                file.delete();
                over = true;
                return true;
            } catch (IOException e) {
                reason = e;
            } finally {
                giveTurn();
            }
        } else {
            reason = new IOException("the disk is stuck");
        }
        LOG.log(
                Level.WARNING,
                handover.message("the file of worker id " + lease.workerId + " in " + SnowflakeKeys.RESUME_DIRECTORY
                        + " can't be deleted. Its worker id is not given back"),
                reason);
        return false;
    }

    boolean isEnded() {
        return ended;
    }

    /** Another process may take over what the file says from here on, if there is a file. The lease must have been sealed. */
    void end() {
        over = true;
        ended = true;
        closeIfEnded();
    }
}
