// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.util.List;
import org.snowflakeid.records.NamespaceRecord;

/** Lets a generator go on from what a process before it was granted, and leave its own grants to one after it. */
public interface Takeover {

    /** No process takes over from this one, or this one from another. */
    Takeover NONE = new Takeover() {
        @Override
        public void start() {}

        @Override
        public void wake() {}

        @Override
        public List<Claim> resume(ClaimContext at, Shown shown) {
            return List.of();
        }

        @Override
        public void keep(Claim claim, NamespaceRecord meta) {}

        @Override
        public void lookAtFiles() {}

        @Override
        public boolean endAll() {
            return true;
        }

        @Override
        public void end() {}
    };

    void start();

    /** For any thread. Does not block. */
    void wake();

    /**
     * Takes over as many worker ids as this generator uses, or none.
     *
     * @param shown must contradict none of them
     * @return empty: there are not that many
     */
    List<Claim> resume(ClaimContext at, Shown shown);

    /** Notes from now on what is used of a claim that was not opened yet, if that can be done. */
    void keep(Claim claim, NamespaceRecord meta);

    /** For the keeper's thread: reports what is wrong with the files, if anything is. */
    void lookAtFiles();

    /**
     * Ends all notes: what was granted is in doubt, or may soon be in several copies, and no process may take it over. The leases must have been
     * sealed. For any thread; also after {@link #end}.
     *
     * @return whether no process can
     */
    boolean endAll();

    /** Nothing is written any more. Notes that were not ended can be taken over. */
    void end();
}
