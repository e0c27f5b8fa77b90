// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

/**
 * What is known of the process that a claim was {@linkplain Claim#resumed taken over} from.
 *
 * @param isMet whether the coordinator has shown the mark that it noted
 * @param mayWrite whether one of its writes may still be applied; not once a write of ours has been
 * @param isOwner whether the owner entry is its own
 */
record Predecessor(boolean isMet, boolean mayWrite, boolean isOwner) {

    /** The claim was made by this process. */
    static final Predecessor NONE = new Predecessor(true, false, false);

    static final Predecessor UNSEEN = new Predecessor(false, true, false);

    Predecessor met(boolean asOwner) {
        return new Predecessor(true, mayWrite, asOwner);
    }

    Predecessor overwritten() {
        return new Predecessor(isMet, false, isOwner);
    }
}
