// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

/** Ends a call of a generator that was sealed for a checkpoint. No caller sees it: ids come from what is claimed after the restore. */
public final class CheckpointedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CheckpointedException() {
        super(null, null, false, false);
    }
}
