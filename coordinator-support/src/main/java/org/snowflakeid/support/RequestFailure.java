// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import org.snowflakeid.CoordinatorException;

/** A request that failed, and what is certain about it. */
public abstract class RequestFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final CoordinatorException exception;
    private final boolean nothingChanged;

    protected RequestFailure(CoordinatorException exception, boolean nothingChanged) {
        super(exception.getMessage(), exception);
        this.exception = exception;
        this.nothingChanged = nothingChanged;
    }

    /** For the caller of the coordinator. */
    public CoordinatorException exception() {
        return exception;
    }

    /** Certain: no change was made, and none will be. */
    public boolean nothingChanged() {
        return nothingChanged;
    }

    /**
     * For the caller of a write whose outcome is unknown.
     *
     * @throws CoordinatorException the same, if it is known that nothing was changed
     */
    public CoordinatorException ofUnknownOutcome() {
        if (nothingChanged) {
            throw exception;
        }
        return exception;
    }
}
