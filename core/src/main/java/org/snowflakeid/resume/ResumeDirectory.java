// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.resume;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.Platform;
import org.snowflakeid.config.Settings;

/**
 * Where processes of one host leave each other notes of what they have not issued, for one namespace. {@link ResumeNote} is what a note says, {@link
 * NoteChain} decides who may write the next one. No lock is involved: a process may be held up between any two calls, and others go on meanwhile.
 *
 * <p>Notes are valid only until this machine is restarted, and only if they were not copied or put back: others are {@link VoidException void}.
 */
public interface ResumeDirectory {

    /** A {@link Platform} with disks of its own. */
    interface Host {
        ResumeDirectory resumeDirectory(Settings settings);
    }

    /** A note must not be used. */
    class VoidException extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean expected;

        /** @param expected whether nothing is wrong with that: a process ended in order, or the machine was started since */
        public VoidException(String message, boolean expected) {
            super(message);
            this.expected = expected;
        }

        public boolean isExpected() {
            return expected;
        }
    }

    /**
     * Checks that notes can be written there.
     *
     * @throws InvalidSettingsException if not
     */
    void require();

    /** The worker ids of which there may be notes. */
    List<Integer> workerIds() throws IOException;

    /** Touches no disk. */
    Notes notes(int workerId);

    /** Keeps nothing open any more, and touches no disk. Notes can still be written. */
    void close();

    /** The notes of one worker id. They have ascending numbers, and only the highest counts. */
    interface Notes {

        /** The number of the highest one; 0 if there is none. */
        long highest() throws IOException;

        /**
         * What a note says.
         *
         * @return null: there is none
         * @throws VoidException if it says nothing, is not complete, or must not be used
         */
        @Nullable
        String read(long number) throws IOException;

        /**
         * Which file a note is, and when it was changed last; another one, or the same after a change, has another identity.
         *
         * @return null: there is no such note
         */
        @Nullable
        String identity(long number) throws IOException;

        /**
         * Makes a note, whole and durable or not at all. It is not complete before it is {@link #seal sealed}.
         *
         * @param text empty: it says nothing, which an end is
         * @return false: there is one of this number, or no folder in which its predecessor could be
         */
        boolean create(long number, String text) throws IOException;

        /** Completes a note of this identity. Durable; if it fails, the note may be complete all the same. */
        void seal(long number, String identity) throws IOException;

        /** Deletes lower ones, in ascending order, as far as that can be done. */
        void deleteBelow(long number);
    }
}
