// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files by which a process takes over from one before it on the same host: one per worker id, of one namespace. What is in them is
 * {@link ResumeNote}.
 *
 * <p>All of it is bound to this start of this machine, and to files that nobody copied or put back: what is not is {@link
 * VoidException void}.
 */
interface ResumeDirectory {

    /** A {@link Platform} with disks of its own. */
    interface Host {
        ResumeDirectory resumeDirectory(SnowflakeSettings settings);
    }

    /** What is there must not be used. */
    class VoidException extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean expected;

        /** @param expected whether nothing is wrong with that: the machine was started since */
        VoidException(String message, boolean expected) {
            super(message);
            this.expected = expected;
        }

        boolean isExpected() {
            return expected;
        }
    }

    /**
     * Checks that files can be written there.
     *
     * @throws InvalidSettingsException if not
     */
    void require();

    /** Those that there may be a file of. */
    List<Integer> workerIds() throws IOException;

    /**
     * Takes the lock of one worker id's file, whether or not there is one, for as long as this process lives or until it is closed.
     *
     * @return null if a process has it, perhaps this one
     */
    @Nullable
    Entry lock(int workerId) throws IOException;

    /** A file whose lock is held here. */
    interface Entry extends AutoCloseable {

        /** @return null: there is none */
        @Nullable
        String read() throws IOException;

        /** Replaces it durably, as a whole. If that fails it holds what it held before, or the new text. */
        void write(String text) throws IOException;

        /** When it returns nobody will read it any more. */
        void delete() throws IOException;

        /** Lets go of the lock. Never throws; safe to call twice. */
        @Override
        void close();
    }
}
