// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.resume;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.resume.ResumeDirectory.Notes;

/**
 * The notes of one worker id as one process knows them: it goes on from the highest one, and only one process can.
 *
 * <h2>Why two processes never go on from one note</h2>
 *
 * A lock would have to hold for as long as a process lives, and a POSIX lock does not: it is gone as soon as anything in the process, such as a
 * backup agent, closes the file. So going on is a compare-and-set, as at the coordinator: each note is a new file, and the one after note {@code k}
 * has the number {@code k + 1}, which only one process can create.
 *
 * <ul>
 *   <li>A process may have been held up since it looked at {@code k}. Then {@code k + 1} may have been created, used and deleted, and can be
 *       created again. So having created it, the process looks once more: its note must be the highest, and {@code k} must still be the
 *       very file it was. Notes are deleted below the highest only, the lowest first: where {@code k + 1} was deleted, {@code k} is gone.
 *       The same holds if the whole folder is deleted, or put back from a backup.
 *   <li>A note counts only when it has been sealed, after that look. So what is read in a note was said by the one process that may go on
 *       from its predecessor.
 *   <li>An end is a note as well: one that says nothing. The highest note is never deleted.
 *   <li>A process whose next note was created by another has lost: it issues what its last note allows, and nothing more.
 * </ul>
 *
 * <p>A process that claimed the worker id at the coordinator begins a chain of its own behind the highest note: it was granted another span.
 */
public final class NoteChain {

    private final Notes notes;

    /** The highest one, as far as is known: read, or ours. 0: there was none. */
    private long number;

    /** Null where there was none. */
    private @Nullable String identity;

    /** The next one was created here, and was not looked at yet. */
    private boolean created;

    /** The highest one is ours, and not sealed: no process can go on from it. */
    private boolean silent;

    private boolean lost;

    /** Goes on behind the note that is the highest now. */
    public NoteChain(Notes notes) throws IOException {
        this.notes = notes;
        this.number = notes.highest();
        // Before it is read: what is read later may be another file.
        this.identity = notes.identity(number);
    }

    /**
     * What the note says from which this process may go on.
     *
     * @return null: there is none
     * @throws ResumeDirectory.VoidException if it must not be used
     */
    @Nullable
    public String read() throws IOException {
        return notes.read(number);
    }

    /**
     * Adds a note that a process after this one can go on from.
     *
     * @return false: another process has gone on, for good
     * @throws IOException if the note may be missing: the one before counts, or the new one, or none
     */
    public boolean add(String text) throws IOException {
        if (!advance(text)) {
            return false;
        }
        String written = notes.identity(number);
        if (written == null) {
            throw new IOException("note " + number + " was deleted");
        }
        identity = written;
        silent = false;
        notes.seal(number, written);
        notes.deleteBelow(number);
        return true;
    }

    /**
     * Ends the chain: no process can go on from here.
     *
     * @return false: another process has gone on
     */
    public boolean end() throws IOException {
        return (silent && !created) || advance("");
    }

    private boolean advance(String text) throws IOException {
        if (lost || (created && !wins())) {
            return false;
        }
        created = notes.create(number + 1, text);
        lost = !created;
        return created && wins();
    }

    private boolean wins() throws IOException {
        lost = notes.highest() != number + 1 || !(silent || Objects.equals(identity, notes.identity(number)));
        if (!lost) {
            created = false;
            number++;
            silent = true;
        }
        return !lost;
    }
}
