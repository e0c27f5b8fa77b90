// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;

/** What is noted of one claim outside the coordinator, so that another process of this host can go on from it. */
public interface ClaimFile {

    /** Nothing is noted. */
    ClaimFile NONE = new ClaimFile() {
        @Override
        public void granted(Mark mark, NamespaceRecord meta) {}

        @Override
        public boolean isLost() {
            return false;
        }

        @Override
        public void shareWithCopy() {}

        @Override
        public boolean goOnWithout() {
            return true;
        }

        @Override
        public void stop() {}

        @Override
        public boolean end() {
            return true;
        }
    };

    /** A write of the mark was applied. Does not wait for the disk. */
    void granted(Mark mark, NamespaceRecord meta);

    /** Whether another process has taken over, or may have. */
    boolean isLost();

    /**
     * Ends the notes, since a copy of this process may be issuing what the last note says was not issued. If it is certain that no process can take
     * over, callers may issue all that is granted; if not, they stop at what the last note says.
     */
    void shareWithCopy();

    /**
     * Ends the notes: callers may issue all that is granted.
     *
     * @return false: they may not have ended, or ended before; nothing changes
     */
    boolean goOnWithout();

    /** Nothing is written any more. Another process may take over what the last note says, if it says anything. */
    void stop();

    /**
     * Ends the notes, for good. The lease must have been sealed, or may be used to its limit.
     *
     * @return whether no process can take over what this claim was granted; if not, its mark must not be lowered
     */
    boolean end();
}
